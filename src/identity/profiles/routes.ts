import { Type } from 'typebox'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { PASSWORD, USER_IDS } from '../../kernel/samples.ts'
import { changeEmail, changeSettings, readOwnProfile, readProfile, readSettings } from './profiles.ts'
import { ChangeEmail, ChangeSettings, NameProfile, OwnProfile, Settings, UserEntry } from './schema.ts'

const op = operationsIn({ area: 'Profile', who: person })

export const profileOperations: readonly Operation[] = [
  op('GET /user/v1/my/profile', {
    name: 'readOwnProfile',
    summary: "Reads the caller's own profile",
    description:
      'Use it to greet the user and to show what the platform knows about them. Store only the `userId`, which is unique to your app, and read the rest again when you show it. Unknown values are empty strings; an unknown country is the default of the installation.',
    who: appUser,
    input: Type.Object({}),
    output: json(OwnProfile),
    run: ({ db, who }) => readOwnProfile(db, who),
  }),
  op('GET /user/v1/profile', {
    name: 'readProfile',
    summary: 'Reads the profile of another user of the app who has public search on',
    description:
      'Shows another user of your app by the `userId` that your app knows. It works for users who have public search on, and for the caller. Everybody else gets 404, including people who blocked the caller or whom the caller blocked.',
    example: { request: { id: USER_IDS.blake } },
    who: appUser,
    input: NameProfile,
    output: json(UserEntry),
    errors: ['notFound'],
    run: ({ db, who }, input) => readProfile(db, who, input),
  }),
  op('GET /account/v1/profile', {
    name: 'readSettings',
    summary: 'Reads the settings of the person',
    description:
      'For a page where people edit their profile. It belongs to the person, not to an app, so it has no `userId`. Unknown values are empty strings.',
    input: Type.Object({}),
    output: json(Settings),
    run: ({ db, who }) => readSettings(db, who),
  }),
  op('POST /account/v1/profile', {
    name: 'changeSettings',
    summary: 'Changes the settings of the person; fields that are left out stay',
    description:
      'Send only the fields that should change; an empty string clears a field. Children cannot change their name, their country or public search, because a parent decides those. The answer has all settings as they are now.',
    example: { request: { country: 'NO', position: 'Student pilot' } },
    input: ChangeSettings,
    output: json(Settings),
    errors: ['forbidden'],
    run: ({ db, who }, input) => changeSettings(db, who, input),
  }),
  op('POST /account/v1/email', {
    name: 'changeEmail',
    summary: 'Changes the e-mail address of the person; the old address gets a message',
    description:
      'Password reset links go to this address too, so the current password is required. The old address gets a message about the change. For a child, a parent does this.',
    example: { request: { email: 'avery.lindqvist@example.org', password: PASSWORD } },
    input: ChangeEmail,
    from: 'body only',
    output: success(),
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: ({ db, who, environment }, input) => changeEmail(db, who, input, environment.get(messagePolicy)),
  }),
]
