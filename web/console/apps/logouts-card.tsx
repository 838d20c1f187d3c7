import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listFailedLogouts } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'

const { app: say } = consoleWords

/** Lists the last logout tokens that the app did not take. */
export function LogoutsCard({ clientId }: { readonly clientId: string }) {
  const failed = useQuery({ ...query(listFailedLogouts, { clientId }), staleTime: 0 })
  return (
    <Card title={say.failedLogouts} isFlush maw={720}>
      <Loaded query={failed}>
        {(logouts) =>
          logouts.length === 0 ? (
            <Text size="sm" c="dimmed" px={20} py="sm">
              {say.noFailedLogouts}
            </Text>
          ) : (
            <Rows
              label={say.failedLogouts}
              head={[say.logoutAt, say.logoutUser, say.logoutAttempts, say.logoutProblem]}
              minWidth={480}
            >
              {logouts.map(({ createdDate, userId, attempts, problem }, i) => (
                <Row
                  // biome-ignore lint/suspicious/noArrayIndexKey: a message has no id, and the list is replaced as a whole
                  key={i}
                  cells={[<Time key="at" at={createdDate} />, userId, String(attempts), problem]}
                />
              ))}
            </Rows>
          )
        }
      </Loaded>
    </Card>
  )
}
