import { type Static, Type } from 'typebox'
import { type Field, Flag, Line, Matching, OrNull, PLAIN, Seen } from '../../kernel/imports/fields.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { isCountry } from './countries.ts'
import { SUPPORTED_HASHES } from './imported-hashes.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './passwords.ts'
import { SERVICE_FIELDS, type Service } from './service.ts'

const LINE = 100

const ServiceText = Type.Optional(Seen(1, LINE))
const service = Object.fromEntries(SERVICE_FIELDS.map((name) => [name, ServiceText])) as Record<
  keyof Service,
  typeof ServiceText
>

export const ImportedPerson = Type.Object({
  handle: Matching(
    '^@?[a-zA-Z0-9]([a-zA-Z0-9._-]{0,28}[a-zA-Z0-9])?$',
    '1 to 30 letters, digits, . _ or -, such as @avery',
    'Handle of the user; case and the @ make no difference',
  ),
  firstName: Type.Optional(Line(100, 'Given name; empty by default')),
  lastName: Type.Optional(Line(100, 'Family name; empty by default')),
  email: Type.Optional(
    OrNull(Type.Refine(Matching(PLAIN, 'an e-mail address', 'None by default', 254), isMailAddress)),
  ),
  country: Type.Optional(
    OrNull(
      Type.Refine(
        Matching('^[A-Z]{2}$', 'a two-letter country code, such as DE', 'ISO 3166; none by default'),
        isCountry,
      ),
    ),
  ),
  dateOfBirth: Type.Optional(
    OrNull(
      Matching(
        '^\\d{4}-\\d{2}-\\d{2}$',
        'a date in the past, such as 2001-12-31',
        'Determines the age group; none by default',
      ),
    ),
  ),
  gender: Type.Optional(OrNull(Line(LINE, 'In their own words; none by default'))),
  position: Type.Optional(OrNull(Line(LINE, 'What they do; none by default'))),
  accountType: Type.Optional(
    Type.Union([Type.Literal('Character'), Type.Literal('Community'), Type.Null()], {
      must: 'Character or Community, or null for none',
      about: 'For accounts that are not individual people; otherwise age and children decide',
    } satisfies Field),
  ),
  service: Type.Optional(
    Type.Object(service, {
      additionalProperties: false,
      must: `an object of ${SERVICE_FIELDS.join(', ')}, each a text of 1 to ${LINE} characters`,
      about: 'Grades, ranks and titles that the organisation gives; replaces all of them',
    } satisfies Field),
  ),
  publicSearch: Type.Optional(
    Flag('Whether other users can find this user; false by default; for a child, only a parent can turn it on'),
  ),
  administrator: Type.Optional(Flag('false by default')),
  developer: Type.Optional(Flag('Whether this user can create apps; false by default')),
  password: Type.Optional(
    Type.String({
      minLength: MIN_PASSWORD_LENGTH,
      maxLength: MAX_PASSWORD_LENGTH,
      must: `text of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
      about: 'In plain text here, stored hashed (argon2id); without one the user cannot sign in with a password',
    } satisfies Field),
  ),
  passwordHash: Type.Optional(
    Type.Union([Type.String(), Type.Object({})], {
      must: SUPPORTED_HASHES,
      about:
        'Instead of `password`: a hash from another system, replaced with our own at the first sign-in (see above)',
    } satisfies Field),
  ),
})
export type ImportedPerson = Static<typeof ImportedPerson>
