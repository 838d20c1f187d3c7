import { parseDate } from '../../kernel/http/input/dates.ts'
import { countOlder, type Removal, removeOlder } from '../../records/statements/retention/retention.ts'
import { type CommandGroup, command, IN_PRODUCTION, print, UsageError } from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'

const retention = command({
  about: 'Delete xAPI statements stored before a date, with their attachments.',
  args: [],
  options: {
    before: {
      type: 'string',
      value: 'DATE',
      about: 'Delete statements stored before this date, or date and time in UTC',
    },
    'dry-run': { type: 'boolean', default: false, about: 'Only count them' },
    environment: IN_PRODUCTION,
  },
  notes: [
    'This cannot be undone: use --dry-run first. Whole months are deleted at once, the rest in parts. The platform can keep running.',
    'The setting XAPI_RETENTION_DAYS does the same every day.',
  ].join('\n'),
  examples: [
    'statements retention --before 2024-01-01 --dry-run',
    'statements retention --before 2024-01-01T00:00:00Z --environment sandbox',
  ],
  run: (_args, values) => {
    const before = values.before === undefined ? undefined : parseDate(values.before)
    if (!before) throw new UsageError('--before must be a date, such as 2024-01-01')
    const isDry = values['dry-run']
    return withEnvironment(values.environment, async ({ db, name }) => {
      const remove = isDry ? countOlder : removeOlder
      print(
        `${describe(await remove(db, operator(), { before }))} ${isDry ? 'would be' : 'were'} deleted from ${name}.`,
      )
    })
  },
})

const count = (many: number, noun: string): string => `${many} ${noun}${many === 1 ? '' : 's'}`
const describe = ({ statements, attachments, months }: Removal): string =>
  `${count(statements, 'statement')} and ${count(attachments, 'attachment')}, including ${count(months, 'whole month')},`

export const statements: CommandGroup = {
  about: 'Delete old xAPI statements.',
  verbs: { retention },
}
