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
    summary: 'Get your profile',
    description:
      'Returns the profile of the calling user. Store only the `userId`, which is unique to your app, and read the rest again when you show it. Unknown values are empty strings; an unknown country is the default of the installation.',
    who: appUser,
    scope: 'profile',
    input: Type.Object({}),
    output: json(OwnProfile),
    run: ({ db, who }) => readOwnProfile(db, who),
  }),
  op('GET /user/v1/profile', {
    name: 'readProfile',
    summary: "Get a user's profile",
    description:
      'Returns the profile of another user of your app, by `userId`. It works for users who have public search on, and for the caller. All others get 404, including users who blocked the caller or whom the caller blocked.',
    example: { request: { id: USER_IDS.blake } },
    who: appUser,
    scope: 'people:search',
    input: NameProfile,
    output: json(UserEntry),
    errors: ['notFound'],
    run: ({ db, who }, input) => readProfile(db, who, input),
  }),
  op('GET /account/v1/profile', {
    name: 'readSettings',
    summary: 'Get your settings',
    description:
      "Returns the caller's profile settings. They belong to the account and not to an app, so they have no `userId`. Unknown values are empty strings.",
    input: Type.Object({}),
    output: json(Settings),
    run: ({ db, who }) => readSettings(db, who),
  }),
  op('POST /account/v1/profile', {
    name: 'changeSettings',
    summary: 'Update your settings',
    description:
      'Changes the fields that are sent; all others stay the same, and an empty string clears a field. Children cannot change their name, their country or public search, because a parent decides those. Returns all settings.',
    example: { request: { country: 'NO', position: 'Student pilot' } },
    input: ChangeSettings,
    output: json(Settings),
    errors: ['forbidden'],
    run: ({ db, who }, input) => changeSettings(db, who, input),
  }),
  op('POST /account/v1/email', {
    name: 'changeEmail',
    summary: 'Change your e-mail address',
    description:
      "Changes the caller's e-mail address, to which password reset links go too, so the current password is required. The old address gets a message about the change. For a child, a parent does this; for a user whose organisation requires its own sign-in, an owner does.",
    example: { request: { email: 'avery.lindqvist@example.org', password: PASSWORD } },
    input: ChangeEmail,
    from: 'body only',
    output: success(),
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: ({ db, who, environment }, input) => changeEmail(db, who, input, environment.get(messagePolicy)),
  }),
]
