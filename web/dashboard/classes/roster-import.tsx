import { Alert, Badge, Button, Checkbox, FileInput, Group, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { importRoster, type RosterReport } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Problem } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { ROSTER_CHANGES } from './roster-changes.ts'

const { import: say } = dashboardWords
/** Maximum number of rows that the dialog shows. */
const SHOWN = 100
const COLORS: Record<string, string> = {
  added: 'green',
  reinstated: 'green',
  suspended: 'yellow',
  invited: 'sky',
  refused: 'red',
}

/** Imports a roster from a CSV file, after a preview of what happens to each row. */
export function RosterImport({ classId, onClose }: { readonly classId: string; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<File | null>(null)
  const [allOrNothing, setAllOrNothing] = useState(false)
  const [report, setReport] = useState<RosterReport & { readonly isDry: boolean }>()
  const send = useWrite(importRoster, { changes: ROSTER_CHANGES })
  const go = (dryRun: boolean) =>
    send.mutate(
      { classId, dryRun, allOrNothing, file: new Blob([chosen!], { type: 'text/csv' }) },
      { onSuccess: (answer) => setReport({ ...answer, isDry: dryRun }) },
    )
  const changes = report
    ? Object.entries(report.counts).reduce(
        (sum, [kind, count]) => (kind === 'unchanged' || kind === 'refused' ? sum : sum + count),
        0,
      )
    : 0
  const isBlocked = allOrNothing && (report?.counts.refused ?? 0) > 0
  return (
    <Stack>
      {send.error && <Problem title={say.failed} error={send.error} />}
      {!report && (
        <>
          <Text size="sm">{say.text}</Text>
          <FileInput
            label={say.file}
            placeholder={say.choose}
            accept=".csv,text/csv"
            value={chosen}
            onChange={setChosen}
            data-autofocus
          />
          <Checkbox
            label={say.all}
            checked={allOrNothing}
            onChange={(event) => setAllOrNothing(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
            <Button disabled={chosen === null} loading={send.isPending} onClick={() => go(true)}>
              {say.check}
            </Button>
          </Group>
        </>
      )}
      {report && (
        <>
          <Alert
            color={report.isDry ? 'sky' : report.written ? 'green' : 'yellow'}
            title={report.isDry ? say.would : report.written ? say.done : say.refused}
          >
            <Group gap="xs">
              {Object.entries(report.counts)
                .filter(([, count]) => count > 0)
                .map(([kind, count]) => (
                  <Badge key={kind} color={COLORS[kind] ?? 'gray'}>
                    {say.results[kind as keyof typeof say.results]}: {count}
                  </Badge>
                ))}
            </Group>
          </Alert>
          <Rows report={report} />
          {report.isDry && changes === 0 && <Text size="sm">{say.nothing}</Text>}
          {report.isDry && isBlocked && <Text size="sm">{say.refused}</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setReport(undefined)}>
              {say.again}
            </Button>
            {report.isDry ? (
              <Button disabled={changes === 0 || isBlocked} loading={send.isPending} onClick={() => go(false)}>
                {say.write(changes)}
              </Button>
            ) : (
              <Button onClick={onClose}>{say.close}</Button>
            )}
          </Group>
        </>
      )}
    </Stack>
  )
}

function Rows({ report: { rows } }: { readonly report: RosterReport }) {
  const ordered = [...rows].sort((a, b) => Number(b.result === 'refused') - Number(a.result === 'refused'))
  return (
    <>
      <ScrollBox minWidth={360} mah={320}>
        <Table aria-label={say.result}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.row}</Table.Th>
              <Table.Th>{say.handle}</Table.Th>
              <Table.Th>{say.result}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ordered.slice(0, SHOWN).map(({ row, handle, result, reason }) => (
              <Table.Tr key={row}>
                <Table.Td>{row}</Table.Td>
                <Table.Td>{handle}</Table.Td>
                <Table.Td>
                  <Badge color={COLORS[result] ?? 'gray'}>{say.results[result]}</Badge>
                  {reason !== null && <Text size="sm">{reason}</Text>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      {rows.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {say.shown(SHOWN, rows.length)}
        </Text>
      )}
    </>
  )
}
