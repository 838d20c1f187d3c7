import { Button, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Card } from '../parts/card.tsx'
import { Copied } from '../parts/copied.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { SearchX } from '../parts/icons.tsx'
import { ButtonLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Empty } from '../parts/states.tsx'
import { Answers } from './answers.tsx'
import { useHeld } from './credentials.ts'
import type { OperationEntry, Reference } from './document.ts'
import { ParameterFields, SchemaFields } from './fields.tsx'
import { Method } from './menu.tsx'
import { reference } from './read.ts'
import classes from './reference.module.css'
import { bodyKindOf, findMaker } from './request.ts'
import { RichText } from './rich-text.tsx'
import { TryIt } from './try-it.tsx'
import { referenceWords } from './words.ts'

const route = getRouteApi('/site/reference/docs/$operationId')

const say = referenceWords

/** Shows one operation: description, permissions, parameters, responses, and a form to try it. */
export function OperationPage() {
  const { operationId } = route.useParams()
  const found = useSuspenseQuery(reference()).data
  const { session } = useHeld()
  const entry = found.byId.get(operationId)
  if (!entry)
    return (
      <>
        <PageHead title={say.missing} />
        <Card>
          <Empty
            icon={SearchX}
            title={operationId}
            action={<ButtonLink to="/docs/reference">{say.missingHome}</ButtonLink>}
          >
            {say.missingText(operationId)}
          </Empty>
        </Card>
      </>
    )
  const isTried = bodyKindOf(entry) !== 'form'
  return (
    <>
      <PageHead
        title={entry.summary}
        action={
          isTried && (
            <Button component="a" href="#try" variant="default">
              {say.tryIt.title}
            </Button>
          )
        }
        above={
          <div className={classes.address}>
            <Method method={entry.method} />
            <Copied value={entry.path} what={say.operation.path} />
          </div>
        }
      />
      <Stack gap="lg">
        <div>
          <RichText text={entry.description} />
        </div>
        <Card>
          <Callers entry={entry} />
        </Card>
        {entry.parameters.length > 0 && (
          <Card title={say.operation.parameters}>
            <ParameterFields parameters={entry.parameters} follow={found.follow} />
          </Card>
        )}
        {entry.body && (
          <Card title={say.operation.body}>
            <Body entry={entry} follow={found.follow} />
          </Card>
        )}
        {/* The user ids in the example depend on the person, so the key recreates the form after another sign-in. */}
        {isTried && (
          <TryIt
            key={`${entry.id} ${session?.handle}`}
            entry={entry}
            before={findMaker(entry, found)}
            samples={found.samples}
          />
        )}
        <Card title={say.operation.answers}>
          <Answers key={entry.id} entry={entry} follow={found.follow} />
        </Card>
      </Stack>
    </>
  )
}

function Callers({ entry: { callers, roles, scope, needs, security } }: { readonly entry: OperationEntry }) {
  const kind = callers === 'plugin' ? 'basicPlugin' : callers === 'record store' ? 'basicStore' : 'basic'
  const proofs = security.map((name) => (name === 'basic' ? kind : name))
  return (
    <Facts>
      <Fact name={say.operation.callers}>{say.callers[callers ?? 'anyone'] ?? callers}</Fact>
      {roles.length > 0 && <Fact name={say.operation.role}>{roles.join(', ')}</Fact>}
      {scope !== undefined && <Fact name={say.operation.scope}>{scope}</Fact>}
      {needs.length > 0 && <Fact name={say.operation.needs}>{needs.join(', ')}</Fact>}
      <Fact name={say.operation.proof}>
        {(proofs.length > 0 ? proofs : ['none']).map((name) => (
          <Text key={name}>{say.proofs[name] ?? name}</Text>
        ))}
      </Fact>
    </Facts>
  )
}

function Body({ entry, follow }: { readonly entry: OperationEntry; readonly follow: Reference['follow'] }) {
  const { content, isRequired } = entry.body!
  const schema = Object.values(content)[0]?.schema
  const kind = bodyKindOf(entry)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {Object.keys(content)
          .filter((type) => type !== '*/*')
          .join(say.schema.or)}
        {kind === 'file' && ` ${say.operation.bytes}`}
        {kind === 'any' && say.operation.anything}
        {!isRequired && ` ${say.operation.optionalBody}`}
      </Text>
      {schema && <SchemaFields key={entry.id} schema={schema} follow={follow} />}
    </Stack>
  )
}
