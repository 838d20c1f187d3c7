import { Alert, Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CalendarDays, ChevronLeft, ChevronRight } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import classes from './calendar.module.css'
import { monthOf, sayMonth, shiftMonth } from './calendar-model.ts'
import { DayList } from './day-list.tsx'
import { dayOf } from './days.ts'
import { FeedPanel } from './feed-panel.tsx'
import { MonthGrid } from './month-grid.tsx'
import { useNow } from './use-now.ts'
import { calendarWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/calendar')
const { page: say } = calendarWords

export function CalendarPage() {
  const { calendar } = route.useLoaderData()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const now = useNow()
  const month = search.month ?? monthOf(now)
  const list = useQuery(calendar)
  const name = sayMonth(month)
  const linkTo = (to: string | undefined) => (props: object) => (
    <Link {...props} to="/dashboard/calendar" search={only({ ...search, month: to })} />
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Stack gap="lg">
        <Group justify="space-between" align="flex-end">
          <Group gap="xs">
            <Button variant="default" px="xs" aria-label={say.previous} renderRoot={linkTo(shiftMonth(month, -1))}>
              <ChevronLeft size={18} />
            </Button>
            <Button variant="default" renderRoot={linkTo(undefined)}>
              {say.today}
            </Button>
            <Button variant="default" px="xs" aria-label={say.next} renderRoot={linkTo(shiftMonth(month, 1))}>
              <ChevronRight size={18} />
            </Button>
            <Title order={2} ml={{ base: 0, xs: 'xs' }} aria-live="polite">
              {name}
            </Title>
          </Group>
          {(list.data?.classes.length ?? 0) > 1 && (
            <NativeSelect
              aria-label={say.class}
              value={search.class ?? ''}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ search: only({ ...search, class: value || undefined }) })
              }
              data={[
                { value: '', label: say.allClasses },
                ...(list.data?.classes ?? []).map(({ classId, className }) => ({ value: classId, label: className })),
              ]}
            />
          )}
        </Group>
        <Loaded query={list} lines={8}>
          {({ entries, isComplete }) => (
            <>
              {!isComplete && <Alert color="yellow">{say.incomplete}</Alert>}
              <div className={classes.wide}>
                <MonthGrid month={month} today={dayOf(now)} entries={entries} />
              </div>
              <div className={classes.narrow}>
                {entries.length > 0 && <DayList month={month} today={dayOf(now)} entries={entries} />}
              </div>
              {entries.length === 0 && (
                <div className={classes.narrow}>
                  <Empty icon={CalendarDays} title={say.empty(name)}>
                    {say.emptyText}
                  </Empty>
                </div>
              )}
            </>
          )}
        </Loaded>
        <Text size="sm" c="dimmed">
          {say.zone(Intl.DateTimeFormat().resolvedOptions().timeZone)}
        </Text>
        <FeedPanel />
      </Stack>
    </>
  )
}
