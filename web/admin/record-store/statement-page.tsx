import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Code } from '../../parts/code.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { adminWords } from '../words.ts'
import { type Statement, sayAgent, sayObject, sayVerb } from './statement.ts'

const { statements: say, store } = adminWords
const route = getRouteApi('/signed-in/admin/record-store/statements/$statementId')

/** Shows one statement as JSON text. The content comes from third parties and is never interpreted. */
export function StatementPage() {
  const found = useQuery(route.useLoaderData().statement)
  return (
    <>
      <PageHead
        title={say.title}
        above={
          <TextLink to="/admin/record-store/statements" size="sm">
            {store.title}
          </TextLink>
        }
        lead={found.data === undefined ? undefined : sayWhole(found.data as Statement)}
      />
      <Loaded query={found} lines={8}>
        {(answer) => {
          const { id, stored, timestamp } = answer as Statement
          return (
            <Stack gap="lg">
              <Card>
                <Facts>
                  <Fact name={say.id}>
                    <Copied value={id} what={say.id} />
                  </Fact>
                  <Fact name={say.stored}>
                    <Time at={stored} />
                  </Fact>
                  <Fact name={say.timestamp}>
                    <Time at={timestamp ?? stored} />
                  </Fact>
                </Facts>
              </Card>
              <Card title={say.json}>
                <Code value={JSON.stringify(answer, null, 2)} what={say.copy} />
              </Card>
            </Stack>
          )
        }}
      </Loaded>
    </>
  )
}

const sayWhole = ({ actor, verb, object }: Statement): string =>
  [sayAgent(actor), sayVerb(verb), sayObject(object)].join(' ')
