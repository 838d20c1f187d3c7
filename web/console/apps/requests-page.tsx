import { Badge, Button, Group, Select, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { CircleAlert, CircleCheck, ScrollText } from '../../parts/icons.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/apps/$clientId/requests')
const { appRequests: say } = consoleWords
const CLASSES = ['2xx', '4xx', '5xx']

export function AppRequestsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().requests)
  const { cursor: _, ...filters } = search
  const isFiltered = Object.keys(only(filters)).length > 0
  const filter = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const text = (name: string) => String(fields.get(name) ?? '').trim() || undefined
    const code = Number(text('code'))
    void navigate({
      search: only({ status: text('status'), code: code > 0 ? code : undefined, operation: text('operation') }),
    })
  }
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.text}
      </Text>
      <form onSubmit={filter} key={JSON.stringify(filters)}>
        <Group align="flex-end">
          <Select
            name="status"
            label={say.status}
            data={CLASSES.map((value) => ({ value, label: say.classes[value] ?? value }))}
            defaultValue={search.status ?? null}
            clearable
            clearButtonProps={{ 'aria-label': say.anyStatus }}
            placeholder={say.any}
            w={160}
          />
          <TextInput name="code" label={say.code} inputMode="numeric" defaultValue={search.code ?? ''} w={120} />
          <TextInput name="operation" label={say.operation} spellCheck={false} defaultValue={search.operation ?? ''} />
          <Button type="submit" variant="default">
            {say.filter}
          </Button>
          {isFiltered && (
            <Button variant="subtle" color="gray" onClick={() => void navigate({ search: {} })}>
              {say.clear}
            </Button>
          )}
        </Group>
      </form>
      <Loaded query={list}>
        {({ docs, next, days }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={ScrollText} title={days === 0 ? say.off : isFiltered ? say.emptyFiltered : say.empty}>
                {days === 0 ? say.offText : say.emptyText(days)}
              </Empty>
            ) : (
              <Rows
                label={say.title}
                head={[say.operation, say.status, say.code, say.took, say.date, say.id]}
                minWidth={860}
              >
                {docs.map(({ requestId, operation, status, code, ms, date }) => (
                  <Row
                    key={requestId}
                    cells={[
                      operation,
                      <Badge
                        key="status"
                        color={status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'}
                        leftSection={
                          status < 400 ? <CircleCheck size={13} aria-hidden /> : <CircleAlert size={13} aria-hidden />
                        }
                      >
                        {status}
                      </Badge>,
                      code ?? words.time.none,
                      say.ms(ms),
                      <Time key="date" at={date} />,
                      <Copied key="id" value={requestId} what={say.id} />,
                    ]}
                  />
                ))}
              </Rows>
            )}
            {next !== null && (
              <Group justify="flex-end" px="lg" py="sm">
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => void navigate({ search: { ...filters, cursor: next } })}
                >
                  {say.older}
                </Button>
              </Group>
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}
