import { secretSeal } from '../../apps/apps/secrets.ts'
import { createDueKeys, type ShownKey, showKeys, withdrawKey } from '../../apps/signing/keys.ts'
import { command, IN_PRODUCTION as environment, JSON_OPTION, print, printList, UsageError } from './command.ts'
import { withEnvironment } from './database.ts'
import { operator } from './operator.ts'

const line = ({ kid, algorithm, state, usedFrom, retiredAt }: ShownKey): string =>
  [
    kid,
    algorithm,
    state,
    `used from ${usedFrom.toISOString()}`,
    retiredAt === null ? '-' : `until ${retiredAt.toISOString()}`,
  ].join('\t')

export const keys = command({
  about: 'List the keys that sign ID tokens, separated by tabs: kid, algorithm, state, when it is used.',
  args: [],
  options: {
    rotate: { type: 'boolean', default: false, about: 'Publish the next keys now; they are used in seven days' },
    withdraw: { type: 'string', value: 'KID', about: 'Withdraw a key that somebody else may know, at once' },
    environment,
    json: JSON_OPTION,
  },
  notes: [
    'Keys are rotated by themselves: each is published for 7 days before it is used, signs for 90 days, and stays published for',
    '30 days more. Apps that have a copy of the keys do not notice. After --withdraw, apps read the keys again at the next sign-in.',
    'Write --withdraw=KID if the kid begins with a hyphen.',
  ].join('\n'),
  examples: ['keys', 'keys --rotate', 'keys --withdraw=KID'],
  run: async (_args, { rotate, withdraw, environment: name, json: isJson }) => {
    if (rotate && withdraw !== undefined) throw new UsageError('Use either --rotate or --withdraw, not both')
    if (isJson && (rotate || withdraw !== undefined))
      throw new UsageError('--json works only without --rotate and --withdraw')
    await withEnvironment(name, async ({ db, get }) => {
      const who = operator()
      if (withdraw !== undefined) {
        await withdrawKey(db, who, { kid: withdraw }, get(secretSeal))
        return print(`${withdraw} is withdrawn. Tokens that it has signed are no longer accepted.`)
      }
      if (rotate) {
        const created = await createDueKeys(db, who, get(secretSeal), { isAsked: true })
        return print(
          created.length === 0
            ? 'The next keys are already published.'
            : `New keys are published: ${created.join(', ')}.`,
        )
      }
      const shown = await showKeys(db, who.at)
      if (shown.length === 0 && !isJson)
        return print('There are no keys yet: the first app that needs them creates them.')
      await printList(shown, isJson, {
        line,
        json: ({ publishedAt, usedFrom, retiredAt, withdrawnAt, ...key }) => ({
          ...key,
          publishedDate: publishedAt,
          usedFromDate: usedFrom,
          retiredDate: retiredAt,
          withdrawnDate: withdrawnAt,
        }),
      })
    })
  },
})
