import { Alert, Anchor, Badge, Button, Checkbox, FileInput, Group, Stack, Table, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { csvImportWords } from './csv-import-words.ts'
import { csvFromPaste } from './csv-paste.ts'
import { ScrollBox } from './scroll-box.tsx'
import { Problem } from './states.tsx'
import { useUnsaved } from './unsaved.tsx'
import { words } from './words.ts'

/** Maximum number of rows that the dialog shows. */
const SHOWN = 100
const COLORS: Record<string, string> = {
  added: 'green',
  reinstated: 'green',
  updated: 'green',
  suspended: 'yellow',
  invited: 'sky',
  refused: 'red',
}

interface CsvReport {
  readonly written: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly rows: readonly {
    readonly row: number
    readonly name: string
    readonly result: string
    readonly reason: string | null
  }[]
}

interface CsvImportProps {
  readonly say: ReturnType<typeof csvImportWords>
  /** An empty file with the names of the columns and an example. */
  readonly template: { readonly name: string; readonly text: string }
  readonly isPending: boolean
  readonly error: Error | null
  readonly onSend: (
    file: Blob,
    how: { readonly dryRun: boolean; readonly allOrNothing: boolean },
    onReport: (report: CsvReport) => void,
  ) => void
  readonly onClose: () => void
}

/** Imports a CSV file, chosen or pasted, after a preview of what happens to each row. */
export function CsvImport({ say, template, isPending, error, onSend, onClose }: CsvImportProps) {
  const [chosen, setChosen] = useState<File | null>(null)
  const [pasted, setPasted] = useState('')
  const [allOrNothing, setAllOrNothing] = useState(false)
  const [report, setReport] = useState<CsvReport & { readonly isDry: boolean }>()
  useUnsaved(() => pasted.trim() !== '' && report?.written !== true)
  const go = (dryRun: boolean) =>
    onSend(new Blob([chosen ?? csvFromPaste(pasted)], { type: 'text/csv' }), { dryRun, allOrNothing }, (answer) =>
      setReport({ ...answer, isDry: dryRun }),
    )
  const changes = Object.entries(report?.counts ?? {}).reduce(
    (sum, [kind, count]) => (kind === 'unchanged' || kind === 'refused' ? sum : sum + count),
    0,
  )
  const isBlocked = allOrNothing && (report?.counts.refused ?? 0) > 0
  return (
    <Stack>
      {error && <Problem title={say.failed} error={error} />}
      {!report && (
        <>
          <Text size="sm">
            {say.text}{' '}
            <Anchor download={template.name} href={`data:text/csv;charset=utf-8,${encodeURIComponent(template.text)}`}>
              {say.template}
            </Anchor>
          </Text>
          <FileInput
            label={say.file}
            placeholder={say.choose}
            accept=".csv,text/csv"
            value={chosen}
            onChange={setChosen}
            clearable
            data-autofocus
          />
          {chosen === null && (
            <Textarea
              label={say.paste}
              description={say.pasteHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              rows={4}
              spellCheck={false}
              value={pasted}
              onChange={(event) => setPasted(event.currentTarget.value)}
            />
          )}
          <Checkbox
            label={say.all}
            checked={allOrNothing}
            onChange={(event) => setAllOrNothing(event.currentTarget.checked)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
            <Button disabled={chosen === null && pasted.trim() === ''} loading={isPending} onClick={() => go(true)}>
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
                    {say.results[kind] ?? kind}: {count}
                  </Badge>
                ))}
            </Group>
          </Alert>
          <ReportRows say={say} report={report} />
          {report.isDry && changes === 0 && <Text size="sm">{say.nothing}</Text>}
          {report.isDry && isBlocked && <Text size="sm">{say.refused}</Text>}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setReport(undefined)}>
              {say.again}
            </Button>
            {report.isDry ? (
              <Button disabled={changes === 0 || isBlocked} loading={isPending} onClick={() => go(false)}>
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

function ReportRows({ say, report: { rows } }: { readonly say: CsvImportProps['say']; readonly report: CsvReport }) {
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
            {ordered.slice(0, SHOWN).map(({ row, name, result, reason }) => (
              <Table.Tr key={row}>
                <Table.Td>{row}</Table.Td>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  <Badge color={COLORS[result] ?? 'gray'}>{say.results[result] ?? result}</Badge>
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
