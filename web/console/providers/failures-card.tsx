import { Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listProviderFailures, type ProviderFailure } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { providerWords as say } from './provider-words.ts'

const SHOWN = 20

/** Lists the last sign-ins that failed, with the claim that was wrong. */
export function FailuresCard({ organisation }: { readonly organisation: string }) {
  const failures = useQuery({ ...query(listProviderFailures, { organisation, limit: SHOWN }), staleTime: 0 })
  return (
    <Card title={say.failures} isFlush>
      <Loaded query={failures}>
        {({ docs, total }) =>
          docs.length === 0 ? (
            <Text size="sm" c="dimmed" px={20} py="sm">
              {say.noFailures}
            </Text>
          ) : (
            <>
              <Rows
                label={say.failures}
                head={[say.failureAt, say.failureProblem, say.failureReference]}
                minWidth={520}
              >
                {docs.map((failure) => (
                  <Row
                    key={failure.reference}
                    cells={[
                      <Time key="at" at={failure.date} />,
                      <Failure key="what" failure={failure} />,
                      <Code key="reference">{failure.reference}</Code>,
                    ]}
                  />
                ))}
              </Rows>
              {total > docs.length && (
                <Text size="sm" c="dimmed" px={20} py="sm">
                  {words.states.moreThan(docs.length, total)}
                </Text>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function Failure({ failure: { problem, claim, found, expected } }: { readonly failure: ProviderFailure }) {
  const details: readonly (readonly [string, string | null])[] = [
    [say.failureFound, found],
    [say.failureExpected, expected],
  ]
  return (
    <Stack gap={2} miw={260}>
      <Text size="sm">{problem}</Text>
      {claim !== null && (
        <Text size="xs" c="dimmed">
          {say.claimNamed(claim)}
        </Text>
      )}
      {details.map(
        ([name, value]) =>
          value !== null && (
            <Text key={name} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {name}: {value}
            </Text>
          ),
      )}
    </Stack>
  )
}
