import { MAX_URI_LENGTH } from './redirect-uris.ts'

/** Whether this is an origin as browsers send it: scheme, host and, unless it is the default, port. */
export const isOrigin = (origin: string): boolean =>
  /^https?:\/\//.test(origin) && origin.length <= MAX_URI_LENGTH && URL.parse(origin)?.origin === origin

/**
 * Whether an app may have this key. A key must not start with `sbx-`, because the production client ID would then look
 * like one of the sandbox.
 */
export const isAppKey = (key: string): boolean => /^(?!sbx-)[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(key)

/** The fields that an administrator reviews and that developers may change later. */
export const REVIEWED_FIELDS = [
  'name',
  'redirectUris',
  'launchUri',
  'origins',
  'postLogoutRedirectUris',
  'backchannelLogoutUri',
] as const
type ReviewedFields = Readonly<Record<(typeof REVIEWED_FIELDS)[number], string | readonly string[]>>

/** Converts a value to its form in the audit log. Lists are joined with spaces, because no item contains a space. */
const inLine = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(' '))

/**
 * Returns the earlier values of the fields that actually change, with the names used in the audit log (`nameBefore`). A
 * different order of a list is not a change.
 */
export function findDifferences(
  was: ReviewedFields,
  change: { readonly [Field in keyof ReviewedFields]?: ReviewedFields[Field] | undefined },
): Record<string, string> {
  const sorted = (value: string | readonly string[]) =>
    inLine(typeof value === 'string' ? value : [...new Set(value)].sort())
  const changed = REVIEWED_FIELDS.filter(
    (field) => change[field] !== undefined && sorted(change[field]) !== sorted(was[field]),
  )
  return Object.fromEntries(changed.map((field) => [`${field}Before`, inLine(was[field])]))
}

/** Reads the differences from the details of an audit entry. */
export function readDifferences(
  detail: Readonly<Record<string, unknown>>,
): { field: (typeof REVIEWED_FIELDS)[number]; before: string[]; after: string[] }[] {
  return REVIEWED_FIELDS.filter((field) => `${field}Before` in detail).map((field) => {
    const values = (text: unknown) => (field === 'name' ? [String(text)] : String(text).split(' ').filter(Boolean))
    return { field, before: values(detail[`${field}Before`]), after: values(detail[field]) }
  })
}
