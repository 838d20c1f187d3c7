import { Type } from 'typebox'
import { type Operation, personOperation, userOperation } from '../http/operation.ts'
import { SUCCESS, Success } from '../http/output/success.ts'
import { changeEmail, changeSettings, readOwnProfile, readProfile, readSettings } from './profiles.ts'
import { ChangeEmail, ChangeSettings, Entry, NameProfile, OwnProfile, Settings } from './schema.ts'

const area = 'Profile'

export const profileOperations: readonly Operation[] = [
  userOperation({
    name: 'readOwnProfile',
    summary: "Reads the caller's own profile",
    method: 'GET',
    path: '/user/v1/my/profile',
    area,
    input: Type.Object({}),
    place: 'query',
    answer: OwnProfile,
    errors: [],
    run: ({ db, who }) => readOwnProfile(db, who),
  }),
  userOperation({
    name: 'readProfile',
    summary: 'Reads the profile of another user of the app who has public search on',
    method: 'GET',
    path: '/user/v1/profile',
    area,
    input: NameProfile,
    place: 'query',
    answer: Entry,
    errors: ['notFound'],
    run: ({ db, who }, input) => readProfile(db, who, input),
  }),
  personOperation({
    name: 'readSettings',
    summary: 'Reads what the person says about themselves, outside of any app',
    method: 'GET',
    path: '/account/v1/profile',
    area,
    input: Type.Object({}),
    place: 'query',
    answer: Settings,
    errors: [],
    run: ({ db, who }) => readSettings(db, who),
  }),
  personOperation({
    name: 'changeSettings',
    summary: 'Changes what the person says about themselves; what is not given stays as it is',
    method: 'POST',
    path: '/account/v1/profile',
    area,
    input: ChangeSettings,
    place: 'body',
    answer: Settings,
    errors: ['forbidden'],
    run: ({ db, who }, input) => changeSettings(db, who, input),
  }),
  personOperation({
    name: 'changeEmail',
    summary: 'Changes where messages to the person go; the old address is told',
    method: 'POST',
    path: '/account/v1/email',
    area,
    input: ChangeEmail,
    place: 'body only',
    answer: Success,
    errors: ['wrongCredentials', 'impossibleNow', 'forbidden'],
    run: async ({ db, who, environment }, input) => {
      await changeEmail(db, who, input, environment.messages)
      return SUCCESS
    },
  }),
]
