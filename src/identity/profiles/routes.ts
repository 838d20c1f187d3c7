import { Type } from 'typebox'
import { appUser, person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { examples } from './examples.ts'
import { changeEmail, changeSettings, readOwnProfile, readProfile, readSettings } from './profiles.ts'
import { ChangeEmail, ChangeSettings, Entry, NameProfile, OwnProfile, Settings } from './schema.ts'

const area = 'Profile'

export const profileOperations: readonly Operation[] = [
  operation({
    who: appUser,
    name: 'readOwnProfile',
    ...examples.readOwnProfile,
    summary: "Reads the caller's own profile",
    method: 'GET',
    path: '/user/v1/my/profile',
    area,
    input: Type.Object({}),
    from: 'query',
    output: json(OwnProfile),
    errors: [],
    run: ({ db, who }) => readOwnProfile(db, who),
  }),
  operation({
    who: appUser,
    name: 'readProfile',
    ...examples.readProfile,
    summary: 'Reads the profile of another user of the app who has public search on',
    method: 'GET',
    path: '/user/v1/profile',
    area,
    input: NameProfile,
    from: 'query',
    output: json(Entry),
    errors: ['notFound'],
    run: ({ db, who }, input) => readProfile(db, who, input),
  }),
  operation({
    who: person,
    name: 'readSettings',
    ...examples.readSettings,
    summary: 'Reads the settings of the person',
    method: 'GET',
    path: '/account/v1/profile',
    area,
    input: Type.Object({}),
    from: 'query',
    output: json(Settings),
    errors: [],
    run: ({ db, who }) => readSettings(db, who),
  }),
  operation({
    who: person,
    name: 'changeSettings',
    ...examples.changeSettings,
    summary: 'Changes the settings of the person; fields that are left out stay',
    method: 'POST',
    path: '/account/v1/profile',
    area,
    input: ChangeSettings,
    from: 'body',
    output: json(Settings),
    errors: ['forbidden'],
    run: ({ db, who }, input) => changeSettings(db, who, input),
  }),
  operation({
    who: person,
    name: 'changeEmail',
    ...examples.changeEmail,
    summary: 'Changes the e-mail address of the person; the old address gets a message',
    method: 'POST',
    path: '/account/v1/email',
    area,
    input: ChangeEmail,
    from: 'body only',
    output: success(),
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: ({ db, who, environment }, input) => changeEmail(db, who, input, environment.get(messagePolicy)),
  }),
]
