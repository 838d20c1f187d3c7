import { addParent, removeParent } from '../families/parents.ts'
import { forgetting } from '../forget.ts'
import { messagePolicy } from '../messages/messages.ts'
import { ALL, listPasskeys, takeAlong } from '../passkeys/passkeys.ts'
import { leavingPolicy, removeByHandle } from '../people/deletion.ts'
import { addPerson, changePassword, disablePerson, listPeople } from '../people/people.ts'
import { makeResetLink, RESET_MINUTES } from '../people/resets.ts'
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
  about: 'Adds a person, who can sign in once they have a password.',
  args: ['HANDLE'],
  options: {
    'first-name': { type: 'string', value: 'TEXT', about: 'Given name' },
    'last-name': { type: 'string', value: 'TEXT', about: 'Family name' },
    email: { type: 'string', value: 'ADDRESS', about: 'E-mail address' },
    administrator: { type: 'boolean', default: false, about: 'May administer the platform' },
    developer: { type: 'boolean', default: false, about: 'May register apps' },
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
        print(`${added} was added to ${name}. A password comes next: groundschool user password ${added}`)
      },
      { mayMake: true },
    ),
})

const password = command({
  about: 'Sets the password of a person and ends all their sessions.',
  args: ['HANDLE'],
  options: {
    'remove-passkeys': { type: 'boolean', default: false, about: 'Also remove all their passkeys' },
    environment,
  },
  notes:
    'The password is asked for, or read from the standard input. It is never an argument, because others can see those. Passkeys still sign in afterwards, and are listed: remove them where somebody else may have added one.',
  examples: ['user password @jo', 'user password @jo --remove-passkeys', 'user password @jo < password.txt'],
  run: async ([handle], values) => {
    const name = readEnvironmentName(values.environment)!
    const secret = await readSecret(`New password of ${handle}`)
    const isAll = values['remove-passkeys']
    const passkeys = await withEnvironment(name, async ({ db, get }) => {
      const [who, messages] = [operator(), get(messagePolicy)]
      const along = takeAlong(who, { removePasskeys: isAll ? [ALL] : [] }, messages)
      const { id } = await changePassword(db, who, { handle: handle!, password: secret, ...along }, messages)
      return listPasskeys(db, { personId: id })
    })
    const ended = `all their sessions have ended${isAll ? ', and no passkeys are left' : ''}`
    print(`The password of ${handle} was changed in ${name}; ${ended}.`)
    if (passkeys.length === 0) return
    tell('These passkeys still sign in:')
    for (const passkey of passkeys) tell(`  “${passkey.name}”, added ${passkey.createdDate.slice(0, 10)}`)
    tell('To remove all of them, set the password again with --remove-passkeys.')
  },
})

const resetLink = command({
  about: 'Prints a link with which a person can set a new password, once.',
  args: ['HANDLE'],
  options: { environment },
  notes:
    'For people who cannot ask for one themselves, because they have no e-mail address or the platform sends no messages. Anybody who has the link can use it: give it only to that person.',
  examples: ['user reset-link @jo'],
  run: ([handle], values) =>
    withEnvironment(values.environment, async ({ db, name, get }) => {
      print(await makeResetLink(db, operator(), { handle: handle! }, get(messagePolicy)))
      tell(`It sets the password of ${handle} in ${name}, once, within ${RESET_MINUTES} minutes.`)
    }),
})

const disable = command({
  about: 'Keeps a person from signing in and ends all their sessions.',
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
  about: 'Lets a disabled person sign in again.',
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
  about: 'Removes a person for good, with everything that is theirs alone.',
  args: ['HANDLE'],
  options: {
    yes: YES_OPTION,
    environment,
  },
  notes:
    'All their tokens are dead at once. What they share with others stays without them, and their handle is given to nobody else for 180 days. To keep somebody out for a while, disable them instead.',
  examples: ['user remove @jo --yes'],
  run: ([handle], values) => {
    if (!values.yes) throw new UsageError(`Removing ${handle} cannot be undone: repeat it with --yes`)
    return withEnvironment(values.environment, async ({ db, name, get }) => {
      await removeByHandle(db, operator(), { handle: handle! }, get(leavingPolicy))
      print(`${handle} was removed from ${name}.`)
    })
  },
})

const parent = command({
  about: 'Lets a person look after the account of a child under 13.',
  args: ['CHILD', 'PARENT'],
  options: {
    remove: { type: 'boolean', default: false, about: 'Ends that' },
    environment,
  },
  notes:
    'Parents add accounts of children by themselves; this is for accounts that exist, and for a second parent. A parent decides who finds the child and who its friends are, sets its password and can delete it: make sure that they are who they say. A child without a parent is found by nobody.',
  examples: ['user parent @kim @jo', 'user parent @kim @jo --remove'],
  run: ([child, adult], values) =>
    withEnvironment(values.environment, async ({ db, name }) => {
      const link = { child: child!, parent: adult! }
      if (!values.remove) {
        const isNew = await addParent(db, operator(), link)
        print(`${adult} ${isNew ? 'now looks' : 'looks already'} after ${child} in ${name}.`)
        return
      }
      const { isLeftAlone } = await removeParent(db, operator(), link)
      print(`${adult} no longer looks after ${child} in ${name}.`)
      if (isLeftAlone) tell(`${child} has no parent left: nobody finds them while they are a child.`)
    }),
})

const list = command({
  about: 'Lists all people by handle: handle, name and what is special about them, separated by tabs.',
  args: [],
  options: { environment, json: JSON_OPTION },
  examples: ['user list', 'user list --environment sandbox --json'],
  run: (_args, values) =>
    withEnvironment(values.environment, ({ db }) =>
      printList(listPeople(db), values.json, { line: describe, json: toJson }),
    ),
})

type Listed = typeof listPeople extends (...args: never[]) => AsyncGenerator<infer Person> ? Person : never

function describe(person: Listed): string {
  const marks = [
    ...(person.administrator ? ['administrator'] : []),
    ...(person.developer ? ['developer'] : []),
    ...(person.disabled_at ? ['disabled'] : []),
    ...(person.has_password ? [] : ['no password']),
  ]
  return [person.handle, `${person.first_name} ${person.last_name}`.trim(), marks.join(', ')].join('\t').trimEnd()
}

const toJson = (person: Listed) => ({
  handle: person.handle,
  firstName: person.first_name,
  lastName: person.last_name,
  administrator: person.administrator,
  developer: person.developer,
  disabled: person.disabled_at !== null,
  hasPassword: person.has_password,
})

export const user: CommandGroup = {
  about: 'Adds, lists, enables, disables and removes people, sets passwords, and says who looks after a child.',
  verbs: { add, password, 'reset-link': resetLink, disable, enable, remove, parent, list },
}
