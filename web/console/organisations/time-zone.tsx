import { Select, Stack } from '@mantine/core'
import { listDates, listOrganisations, type Organisation, readOrganisation, setTimeZone } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { timeZoneWords as say } from './time-zone-words.ts'

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]

/** Lets owners choose the zone in which dates of classes are entered. */
export function TimeZone({ organisation: { organisation, timeZone } }: { readonly organisation: Organisation }) {
  const set = useWrite(setTimeZone, {
    changes: [readOrganisation, listOrganisations, listDates],
    onDone: (done) => notify(say.done(done.timeZone)),
  })
  return (
    <Card title={say.title}>
      <Stack>
        {set.error && <Problem title={say.failed} error={set.error} />}
        <Select
          label={say.label}
          description={say.help}
          searchable
          allowDeselect={false}
          limit={100}
          data={ZONES.includes(timeZone) ? ZONES : [timeZone, ...ZONES]}
          value={timeZone}
          disabled={set.isPending}
          onChange={(zone) => zone !== null && zone !== timeZone && set.mutate({ organisation, timeZone: zone })}
        />
      </Stack>
    </Card>
  )
}
