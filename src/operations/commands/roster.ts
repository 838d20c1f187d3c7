import { StartupError } from '../../kernel/errors.ts'
import { CSV_BYTES } from '../../kernel/http/input/bodies.ts'
import { importRosterUnchecked } from '../../learning/classes/roster.ts'
import type { RosterReport } from '../../learning/classes/schema.ts'
import { refuseLowDisk } from './checks.ts'
import { command, IN_PRODUCTION, print } from './command.ts'
import { withEnvironment } from './database.ts'
import { readBounded } from './import-file.ts'
import { operator } from './operator.ts'
import { startProgress } from './progress.ts'

export const roster = command({
  about: 'Add, drop, suspend and reinstate students of a class with a CSV file.',
  args: ['CLASS', 'FILE'],
  options: {
    environment: IN_PRODUCTION,
    'dry-run': { type: 'boolean', default: false, about: 'Show what would change; write nothing' },
    'all-or-nothing': { type: 'boolean', default: false, about: 'Write nothing if any row has an error' },
  },
  notes: [
    'CLASS is a classId. The first line of the file lists the columns: handle and, optionally, action and studentId. An action is add',
    '(the default), drop, suspend or reinstate. Every user in the file needs an account; npx groundschool import creates accounts.',
    'Rows with errors are shown, and the exit code is then 1. Running the command again changes nothing more.',
  ].join('\n'),
  examples: ['roster class-alpha students.csv --dry-run', 'roster class-alpha students.csv --all-or-nothing'],
  run: async ([classId, path], values) => {
    const file = await readBounded(path!, CSV_BYTES)
    await withEnvironment(values.environment, async (environment) => {
      const { db } = environment
      if (!values['dry-run']) refuseLowDisk([environment])
      const progress = startProgress({ isCounted: true })
      const report = await importRosterUnchecked(db, operator(), {
        classId: classId!,
        roster: file,
        dryRun: values['dry-run'],
        allOrNothing: values['all-or-nothing'],
        onProgress: (done, total) => progress.update(done, total, 'students'),
      }).finally(progress.finish)
      tellReport(report, values['dry-run'])
    })
  },
})

function tellReport({ counts, rows, written }: RosterReport, isDryRun: boolean): void {
  for (const { row, handle, reason } of rows) if (reason !== null) print(`row ${row}, ${handle}: ${reason}`)
  // An operator adds people at once, so nobody is invited.
  const told = Object.entries(counts)
    .filter(([result]) => result !== 'invited')
    .map(([result, count]) => `${count} ${result}`)
  print(written ? told.join(', ') : `${isDryRun ? 'This was a dry run' : 'Nothing was written'}: ${told.join(', ')}`)
  if (counts.refused > 0) throw new StartupError(`${counts.refused} of ${rows.length} rows have errors`)
}
