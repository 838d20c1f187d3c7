import { parseDate } from '../http/input/dates.ts'
import { countOlder, type Removal, removeOlder } from '../statements/retention.ts'
import { type CommandGroup, command, IN_PRODUCTION, print, UsageError } from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'

const retention = command({
  about: 'Removes xAPI statements that were stored before a date, with their attachments.',
  args: [],
  options: {
    before: { type: 'string', value: 'DATE', about: 'Removes what is older: a date, or a date and time in UTC' },
    'dry-run': { type: 'boolean', default: false, about: 'Only counts them' },
    environment: IN_PRODUCTION,
  },
  notes:
    'It cannot be undone: look at --dry-run first. Whole months go at once, the rest in parts, while the platform is running. XAPI_RETENTION_DAYS does the same day by day.',
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
      print(`${describe(await remove(db, operator(), { before }))} ${isDry ? 'would go' : 'went'} from ${name}.`)
    })
  },
})

const count = (many: number, noun: string): string => `${many} ${noun}${many === 1 ? '' : 's'}`
const describe = ({ statements, attachments, months }: Removal): string =>
  `${count(statements, 'statement')} and ${count(attachments, 'attachment')}, ${count(months, 'whole month')} among them,`

export const statements: CommandGroup = {
  about: 'Removes old xAPI statements.',
  verbs: { retention },
}
