import { type Static, type TSchema, type TSchemaOptions, Type } from 'typebox'
import { BLOCK_BYTES, DEFAULT_STORAGE_BLOCKS } from '../apps/apps.ts'
import { MAX_SECRETS } from '../apps/secrets.ts'
import { MAX_FRIENDS } from '../friends/rules.ts'
import { isLine, isMailAddress } from '../lines.ts'
import { isCountry } from '../people/countries.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../people/passwords.ts'
import { SERVICE_FIELDS, type Service } from '../people/service.ts'

/**
 * The import file. Every field says in `must` what it has to be: that is the end of the sentence when it is not, and what
 * docs/import.md says about it.
 */
interface Field extends TSchemaOptions {
  /** Ends the sentence "people[3].email must be …". */
  readonly must: string
  readonly about: string
}

/** No control characters and no half surrogates: the one cannot be kept, the other cannot be sent. */
const PLAIN = '^[^\\p{Cc}\\p{Cs}]*$'
const KEY = '^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$'
const KEY_WORDS = '1 to 60 small letters, digits or -, such as sandhills'

/** What people read, by the rule for what they say themselves; where there must be something, spaces alone are nothing. */
const isSeen = (text: string, minLength: number) => isLine(text) && text.trim().length >= minLength
const Seen = (minLength: number, maxLength: number, options: Partial<Field> = {}) =>
  Type.Refine(Type.String({ minLength, maxLength, ...options }), (text) => isSeen(text, minLength))
const Line = (maxLength: number, about: string, { minLength = 0 } = {}) =>
  Seen(minLength, maxLength, {
    must: `one line of ${minLength} to ${maxLength} characters that can be seen`,
    about,
  })
const Flag = (about: string) => Type.Boolean({ must: 'true or false', about } satisfies Field)
const Matching = (pattern: string, must: string, about: string, maxLength = 60) =>
  Type.String({ pattern, maxLength, must, about } satisfies Field)
const OrNull = <T extends TSchema>(schema: T) => {
  const { must, about } = schema as unknown as Field
  return Type.Union([schema, Type.Null()], { must: `${must}, or null for none`, about } satisfies Field)
}
const Texts = (maxItems: number, maxLength: number, must: string, about: string) =>
  Type.Array(Type.String({ pattern: PLAIN, minLength: 1, maxLength }), { maxItems, must, about } satisfies Field)
const CLOSED = { additionalProperties: false }

const MAX_PARENTS = 4
const MAX_APPS = 100
const LINE = 100
/** What a handle may be as long as it is only named: whether there is such a person is looked up. */
const NAMED_HANDLE = 31

const ServiceText = Type.Optional(Seen(1, LINE))
const service = Object.fromEntries(SERVICE_FIELDS.map((name) => [name, ServiceText])) as Record<
  keyof Service,
  typeof ServiceText
>

export const ImportedOrganisation = Type.Object(
  {
    key: Matching(KEY, KEY_WORDS, 'What the organisation is known by in this file and in later ones'),
    name: Line(200, 'As people read it', { minLength: 1 }),
  },
  CLOSED,
)

export const ImportedPerson = Type.Object(
  {
    handle: Matching(
      '^@?[a-zA-Z0-9]([a-zA-Z0-9._-]{0,28}[a-zA-Z0-9])?$',
      '1 to 30 letters, digits, . _ or -, such as @avery',
      'What the person is known by; case and the @ make no difference',
    ),
    firstName: Type.Optional(Line(100, 'Given name; empty by default')),
    lastName: Type.Optional(Line(100, 'Family name; empty by default')),
    email: Type.Optional(
      OrNull(Type.Refine(Matching(PLAIN, 'an e-mail address', 'None by default', 254), isMailAddress)),
    ),
    country: Type.Optional(
      OrNull(
        Type.Refine(
          Matching('^[A-Z]{2}$', 'the two capital letters of a country, such as DE', 'ISO 3166; none by default'),
          isCountry,
        ),
      ),
    ),
    dateOfBirth: Type.Optional(
      OrNull(
        Matching(
          '^\\d{4}-\\d{2}-\\d{2}$',
          'a day that is past, such as 2001-12-31',
          'Decides about age; none by default',
        ),
      ),
    ),
    gender: Type.Optional(OrNull(Line(LINE, 'In their own words; none by default'))),
    position: Type.Optional(OrNull(Line(LINE, 'What they do; none by default'))),
    accountType: Type.Optional(
      Type.Union([Type.Literal('Character'), Type.Literal('Community'), Type.Null()], {
        must: 'Character or Community, or null for none',
        about: 'For an account that is nobody in person; otherwise age and children decide',
      } satisfies Field),
    ),
    service: Type.Optional(
      Type.Object(service, {
        ...CLOSED,
        must: `an object of ${SERVICE_FIELDS.join(', ')}, each a text of 1 to ${LINE} characters`,
        about: 'Grades, ranks and titles, as the organisation gives them; what is not named goes',
      } satisfies Field),
    ),
    publicSearch: Type.Optional(
      Flag('Whether other users find this person; false by default; for a child, a parent turns it on'),
    ),
    administrator: Type.Optional(Flag('false by default')),
    developer: Type.Optional(Flag('Whether this person may register apps; false by default')),
    organisations: Type.Optional(
      Type.Record(Type.String(), Seen(1, 60), {
        must: 'an object of organisation key and role, such as {"sandhills": "instructor"}',
        about: 'All memberships of the person; one that is not listed ends',
      } satisfies Field),
    ),
    parents: Type.Optional(
      Texts(
        MAX_PARENTS,
        NAMED_HANDLE,
        `a list of at most ${MAX_PARENTS} handles`,
        'Who looks after a child (under 13); one who is not listed does so no longer',
      ),
    ),
    friends: Type.Optional(
      Texts(
        MAX_FRIENDS,
        NAMED_HANDLE,
        `a list of at most ${MAX_FRIENDS} handles`,
        'Friends are added, on both sides; none is taken away, and nobody who blocks the other is made a friend',
      ),
    ),
    apps: Type.Optional(
      Texts(
        MAX_APPS,
        60,
        `a list of at most ${MAX_APPS} keys of apps`,
        'Apps that the person is made a user of; none is taken away, and who has withdrawn consent stays away',
      ),
    ),
    password: Type.Optional(
      Type.String({
        minLength: MIN_PASSWORD_LENGTH,
        maxLength: MAX_PASSWORD_LENGTH,
        must: `text of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
        about: 'In clear, kept hashed (argon2id); without one the person cannot sign in with a password',
      } satisfies Field),
    ),
  },
  CLOSED,
)

const DEFAULT_STORAGE_BYTES = DEFAULT_STORAGE_BLOCKS * BLOCK_BYTES

export const ImportedApp = Type.Object(
  {
    key: Matching(
      KEY,
      '1 to 60 small letters, digits or -, not beginning with sbx-',
      'The client ID without its prefix: `demo-app` is `gs-demo-app` in production and `gs-sbx-demo-app` in the sandbox',
    ),
    name: Line(200, 'As people read it when they sign in', { minLength: 1 }),
    organisation: Type.Optional(
      OrNull(Matching(KEY, KEY_WORDS, 'Key of the organisation that runs it; none by default')),
    ),
    owner: Type.Optional(
      OrNull(Line(31, 'Handle of the person who answers for it; none by default', { minLength: 1 })),
    ),
    status: Type.Optional(
      Type.Union([Type.Literal('pending'), Type.Literal('approved'), Type.Literal('suspended')], {
        must: 'pending, approved or suspended',
        about: '`approved` by default',
      } satisfies Field),
    ),
    redirectUris: Type.Optional(
      Texts(
        100,
        2000,
        'a list of at most 100 addresses',
        'Where sign-in may lead back to: https, http on loopback, or a scheme of the app',
      ),
    ),
    origins: Type.Optional(
      Texts(
        100,
        2000,
        'a list of at most 100 origins',
        'Web pages that may call from a browser, such as https://app.example.org',
      ),
    ),
    basic: Type.Optional(Flag('Sign-in with handle and password at `/auth/basic`; false by default')),
    device: Type.Optional(Flag('Sign-in on a device without a browser, by a code typed elsewhere; false by default')),
    implicit: Type.Optional(Flag('The implicit flow; false by default')),
    pkce: Type.Optional(Flag('Whether sign-in insists on a code challenge; true by default')),
    public: Type.Optional(Flag('An app that can keep no secret, such as one on a phone; false by default')),
    secrets: Type.Optional(
      Type.Array(Type.String({ pattern: PLAIN, minLength: 8, maxLength: 200 }), {
        maxItems: MAX_SECRETS,
        must: `a list of at most ${MAX_SECRETS} texts of 8 to 200 characters`,
        about: 'All client secrets, in clear, kept hashed; one that is not listed ends',
      } satisfies Field),
    ),
    storageBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 50,
        must: 'a whole number of bytes, of which whole KiB count',
        about: `How much its buckets may hold; ${DEFAULT_STORAGE_BYTES} by default`,
      } satisfies Field),
    ),
  },
  CLOSED,
)

/** What a file may hold, in the order in which it is imported. */
export const SECTIONS = {
  organisations: ImportedOrganisation,
  people: ImportedPerson,
  apps: ImportedApp,
} as const

export type ImportedOrganisation = Static<typeof ImportedOrganisation>
export type ImportedPerson = Static<typeof ImportedPerson>
export type ImportedApp = Static<typeof ImportedApp>

export interface ImportFile {
  readonly organisations: readonly ImportedOrganisation[]
  readonly people: readonly ImportedPerson[]
  readonly apps: readonly ImportedApp[]
}
