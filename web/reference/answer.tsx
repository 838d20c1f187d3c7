import { Anchor, Badge, Button, Stack, Text } from '@mantine/core'
import { Code } from '../parts/code.tsx'
import { Copied } from '../parts/copied.tsx'
import { Download } from '../parts/icons.tsx'
import classes from './reference.module.css'
import type { Content, Outcome } from './send.ts'
import { referenceWords } from './words.ts'

const { tryIt: say } = referenceWords

const sayBytes = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`)

function AnswerContent({ content }: { readonly content: Content }) {
  switch (content.kind) {
    case 'none':
      return (
        <Text size="sm" c="dimmed">
          {say.nothing}
        </Text>
      )
    case 'image':
      return <img src={content.address} alt={say.image} className={classes.image} />
    case 'file':
      return (
        <Button
          component="a"
          href={content.address}
          download={content.name}
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
        >
          {say.saveFile(content.name, sayBytes(content.bytes))}
        </Button>
      )
    case 'events':
      return (
        <>
          <Text size="sm" c="dimmed">
            {content.isOpen ? say.listening : say.ended}
          </Text>
          <Code value={content.text === '' ? say.noEvents : content.text} what={say.text} />
        </>
      )
    case 'text':
      return (
        <>
          <Code value={content.text} what={say.text} />
          {content.isCut && (
            <Text size="sm">
              {say.cut}{' '}
              <Anchor href={content.address} download="answer.txt" inherit underline="always">
                {say.save}
              </Anchor>
            </Text>
          )}
        </>
      )
  }
}

/** Shows a response: status, time, request id, headers and content. */
export const AnswerShown = ({
  outcome: { status, ms, headers, requestId, content },
}: {
  readonly outcome: Outcome
}) => (
  <Stack gap="sm">
    <div className={classes.facts} role="status">
      <span>
        {say.status} <Badge color={status < 400 ? 'green' : 'red'}>{status}</Badge>
      </span>
      <span>
        {say.time} {say.ms(ms)}
      </span>
      {requestId !== undefined && (
        <div className={classes.held}>
          {say.requestId} <Copied value={requestId} what={say.requestId} />
        </div>
      )}
    </div>
    <AnswerContent content={content} />
    <details className={classes.fold}>
      <summary>{say.headers(headers.length)}</summary>
      <dl className={classes.headers}>
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  </Stack>
)
