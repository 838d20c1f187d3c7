import { alsoRemoveWays } from '../../apps/account/account.ts'
import { addParent, removeParent } from '../../identity/families/parents.ts'
import { ALL, listPasskeys } from '../../identity/passkeys/passkeys.ts'
import { leavingPolicy, removeByHandle } from '../../identity/people/deletion.ts'
import { addPerson, changePassword, disablePerson, listPeople } from '../../identity/people/people.ts'
import { makeResetLink, RESET_MINUTES } from '../../identity/people/resets.ts'
import { forgetting } from '../../kernel/forget.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import {
  type CommandGroup,
  command,
  IN_PRODUCTION as environment,
  JSON_OPTION,
  print,
  printList,
  tell,
  UsageError,
  YES_OPTION,
} from './command.ts'
import { readEnvironmentName, withEnvironment } from './database.ts'
import { operator } from './operator.ts'
import { readSecret } from './secret-input.ts'

const add = command({
  about: 'Create a user. They can sign in once they have a password.',
  args: ['HANDLE'],
  options: {
    'first-name': { type: 'string', value: 'TEXT', about: 'Given name' },
    'last-name': { type: 'string', value: 'TEXT', about: 'Family name' },
    email: { type: 'string', value: 'ADDRESS', about: 'E-mail address' },
    administrator: { type: 'boolean', default: false, about: 'Make the user an administrator of the platform' },
    developer: { type: 'boolean', default: false, about: 'Let the user create apps' },
    environment,
  },
  examples: ['user add @jo --first-name Jo --last-name Ng --developer'],
  run: ([handle], values) =>
    withEnvironment(
      values.environment,
      async ({ db, name }) => {
        const { handle: added } = await addPerson(db, operator(), {
          handle: handle!,
          firstName: values['first-name'],
          lastName: values['last-name'],
          email: values.email,
          isAdministrator: values.administrator,
          isDeveloper: values.developer,
        })
        print(`${added} was created in ${name}. Now set a password: npx groundschool user password ${added}`)
      },
      { mayMakeKey: true },
    ),
})

const password = command({
  about: 'Set the password of a user, and end all their sessions.',
  args: ['HANDLE'],
  options: {
    'remove-passkeys': {
      type: 'boolean',
      default: false,
      about: 'Also delete all their passkeys, and connections to organisations',
    },
    environment,
  },
  notes: [
    'The command asks for the password, or reads it from standard input. It is never an argument, because others can see arguments.',
    'Passkeys keep working, and are listed. Delete them if somebody else may have added one.',
  ].join('\n'),
  examples: ['user password @jo', 'user password @jo --remove-passkeys', 'user password @jo < password.txt'],
  run: async ([handle], values) => {
    const name = readEnvironmentName(values.environment)!
    const secret = await readSecret(`New password of ${handle}`)
    const isAll = values['remove-passkeys']
    const passkeys = await withEnvironment(name, async ({ db, get }) => {
      const [who, messages] = [operator(), get(messagePolicy)]
      const along = alsoRemoveWays(who, { removePasskeys: isAll ? [ALL] : [] }, messages)
      const { id } = await changePassword(db, who, { handle: handle!, password: secret, ...along }, messages)
      return listPasskeys(db, { personId: id })
    })
    const ended = `all their sessions have ended${isAll ? ', and all passkeys were deleted' : ''}`
    print(`The password of ${handle} was changed in ${name}; ${ended}.`)
    if (passkeys.length === 0) return
    tell('These passkeys still sign in:')
    for (const passkey of passkeys) tell(`  “${passkey.name}”, added ${passkey.createdDate.slice(0, 10)}`)
    tell('To delete all of them, set the password again with --remove-passkeys.')
  },
})

const resetLink = command({
  about: 'Print a password reset link. It works once.',
  args: ['HANDLE'],
  options: { environment },
  notes: [
    'For users who cannot request a link: they have no e-mail address, or e-mail is off. Anybody who has the link can',
    'use it, so give it only to that user.',
  ].join('\n'),
  examples: ['user reset-link @jo'],
  run: ([handle], values) =>
    withEnvironment(values.environment, async ({ db, name, get }) => {
      print(await makeResetLink(db, operator(), { handle: handle! }, get(messagePolicy)))
      tell(`It sets the password of ${handle} in ${name}, once, within ${RESET_MINUTES} minutes.`)
    }),
})

const disable = command({
  about: 'Disable a user, so that they cannot sign in, and end all their sessions.',
  args: ['HANDLE'],
  options: { environment },
  examples: ['user disable @jo'],
  run: ([handle], values) =>
    withEnvironment(values.environment, async ({ db, name, get }) => {
      await disablePerson(db, operator(), { handle: handle!, isDisabled: true }, get(forgetting))
      print(`${handle} was disabled in ${name}; all their sessions have ended.`)
    }),
})

const enable = command({
  about: 'Enable a disabled user, so that they can sign in again.',
  args: ['HANDLE'],
  options: { environment },
  examples: ['user enable @jo'],
  run: ([handle], values) =>
    withEnvironment(values.environment, async ({ db, name, get }) => {
      await disablePerson(db, operator(), { handle: handle!, isDisabled: false }, get(forgetting))
      print(`${handle} was enabled in ${name}.`)
    }),
})

const remove = command({
  about: 'Delete a user permanently, with all data that is theirs alone.',
  args: ['HANDLE'],
  options: {
    yes: YES_OPTION,
    environment,
  },
  notes: [
    'All their tokens stop working immediately. Data that they share with others stays, without them. Nobody else can have their handle',
    'for 180 days. To lock a user out for a while, disable them instead.',
  ].join('\n'),
  examples: ['user remove @jo --yes'],
  run: ([handle], values) => {
    if (!values.yes) throw new UsageError(`Deleting ${handle} cannot be undone: repeat the command with --yes`)
    return withEnvironment(values.environment, async ({ db, name, get }) => {
      await removeByHandle(db, operator(), { handle: handle! }, get(leavingPolicy))
      print(`${handle} was deleted from ${name}.`)
    })
  },
})

const parent = command({
  about: 'Make a user the parent of a child under 13.',
  args: ['CHILD', 'PARENT'],
  options: {
    remove: { type: 'boolean', default: false, about: 'Remove the parent instead' },
    environment,
  },
  notes: [
    'Parents create accounts for their children themselves. This command is for an account that already exists, and for a second parent.',
    'A parent decides who can find the child and who its friends are, sets its password, and can delete the account: verify',
    'their identity. Nobody can find a child without a parent.',
  ].join('\n'),
  examples: ['user parent @kim @jo', 'user parent @kim @jo --remove'],
  run: ([child, adult], values) =>
    withEnvironment(values.environment, async ({ db, name }) => {
      const link = { child: child!, parent: adult! }
      if (!values.remove) {
        const isNew = await addParent(db, operator(), link)
        print(`${adult} is ${isNew ? 'now' : 'already'} a parent of ${child} in ${name}.`)
        return
      }
      const { isLeftAlone } = await removeParent(db, operator(), link)
      print(`${adult} is no longer a parent of ${child} in ${name}.`)
      if (isLeftAlone) tell(`${child} has no parent left: nobody can find them while they are a child.`)
    }),
})

const list = command({
  about: 'List all users, separated by tabs: handle, name, roles and status.',
  args: [],
  options: { environment, json: JSON_OPTION },
  examples: ['user list', 'user list --environment sandbox --json'],
  run: (_args, values) =>
    withEnvironment(values.environment, ({ db }) =>
      printList(listPeople(db), values.json, { line: describe, json: toJson }),
    ),
})

type ListedPerson = typeof listPeople extends (...args: never[]) => AsyncGenerator<infer Person> ? Person : never

function describe(person: ListedPerson): string {
  const marks = [
    ...(person.administrator ? ['administrator'] : []),
    ...(person.developer ? ['developer'] : []),
    ...(person.disabled_at ? ['disabled'] : []),
    ...(person.has_password ? [] : ['no password']),
  ]
  return [person.handle, `${person.first_name} ${person.last_name}`.trim(), marks.join(', ')].join('\t').trimEnd()
}

const toJson = (person: ListedPerson) => ({
  handle: person.handle,
  firstName: person.first_name,
  lastName: person.last_name,
  administrator: person.administrator,
  developer: person.developer,
  disabled: person.disabled_at !== null,
  hasPassword: person.has_password,
})

export const user: CommandGroup = {
  about: 'Manage users: accounts, passwords, parents of children.',
  verbs: { add, password, 'reset-link': resetLink, disable, enable, remove, parent, list },
}
