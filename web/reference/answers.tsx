import { Badge, Stack, Text } from '@mantine/core'
import { Code } from '../parts/code.tsx'
import { DocLink } from './doc-link.tsx'
import type { OperationEntry, Reference, ResponseDescription } from './document.ts'
import { SchemaFields } from './fields.tsx'
import classes from './reference.module.css'
import { pretty } from './request.ts'
import { Inline } from './rich-text.tsx'
import { referenceWords } from './words.ts'

const { schema: say, operation } = referenceWords

const isError = (status: string): boolean => Number(status) >= 400

function Done({
  status,
  answer,
  follow,
}: {
  status: string
  answer: ResponseDescription
  follow: Reference['follow']
}) {
  const content = Object.entries(answer.content ?? {})
  return (
    <div>
      <div className={classes.fieldHead}>
        <Badge color="green">{status}</Badge>
        <Text size="sm">
          <Inline text={answer.description} />
        </Text>
        {content.map(([type]) => (
          <span key={type} className={classes.type}>
            {type}
          </span>
        ))}
      </div>
      {content.map(([type, { schema, example }]) => (
        <Stack key={type} gap="sm" mt="sm">
          {schema && type !== 'text/html' && <SchemaFields schema={schema} isAnswer follow={follow} />}
          {example !== undefined && (
            <details className={classes.fold}>
              <summary>{say.example}</summary>
              <div className={classes.about}>
                <Code value={pretty(example)} what={say.exampleOf(status)} />
              </div>
            </details>
          )}
        </Stack>
      ))}
    </div>
  )
}

/** Shows a line such as "`4042` Not found.", with a link to the page about the code. */
function ErrorLine({ line }: { readonly line: string }) {
  const [, code, text] = /^`(\d{4})` (.*)$/s.exec(line) ?? []
  if (code === undefined) return <Inline text={line} />
  return (
    <>
      <DocLink href={`/docs/errors#${code}`} className={classes.errorCode}>
        {code}
      </DocLink>{' '}
      <Inline text={text!} />
    </>
  )
}

/** Lists the platform's error codes by HTTP status, from the error catalogue. */
function Errors({ answers }: { readonly answers: OperationEntry['answers'] }) {
  return (
    <ul className={classes.fields}>
      {answers.map(({ status, answer }) => (
        <li key={status} className={classes.field}>
          <div className={classes.fieldHead}>
            <Badge color={Number(status) >= 500 ? 'gray' : 'red'}>{status}</Badge>
          </div>
          {answer.description.split('\n\n').map((line) => (
            <div key={line} className={classes.about}>
              <ErrorLine line={line} />
            </div>
          ))}
        </li>
      ))}
    </ul>
  )
}

export const Answers = ({
  entry,
  follow,
}: {
  readonly entry: OperationEntry
  readonly follow: Reference['follow']
}) => (
  <Stack gap="lg">
    {entry.answers
      .filter(({ status }) => !isError(status))
      .map(({ status, answer }) => (
        <Done key={status} status={status} answer={answer} follow={follow} />
      ))}
    <details className={classes.fold}>
      <summary>{operation.errors}</summary>
      <div className={classes.folded}>
        <Errors answers={entry.answers.filter(({ status }) => isError(status))} />
      </div>
    </details>
  </Stack>
)
