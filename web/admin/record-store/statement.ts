import type { Names, Verb } from '../../api/operations.ts'
import { adminWords } from '../words.ts'

const { statements: say } = adminWords

/**
 * The fields of a statement that pages use. Apps and other systems write statements, so any field may be missing or
 * malformed. Everything is shown as plain text.
 */
export interface Statement {
  readonly id: string
  readonly actor: Agent
  readonly verb: { readonly id: string; readonly display?: Languages }
  readonly object: StatementObject
  readonly result?: {
    readonly success?: boolean
    readonly score?: { readonly scaled?: number; readonly raw?: number }
  }
  readonly stored: string
  readonly timestamp?: string
}
type Languages = Readonly<Record<string, string>>
export interface Agent {
  readonly objectType?: string
  readonly name?: string
  readonly mbox?: string
  readonly mbox_sha1sum?: string
  readonly openid?: string
  readonly account?: { readonly homePage: string; readonly name: string }
}
interface StatementObject extends Agent {
  readonly id?: string
  readonly definition?: { readonly name?: Languages }
}
export interface StatementPage {
  readonly statements: readonly Statement[]
  readonly more?: string
}

/** Returns the English text, or the text of any other language if there is no English one. */
const sayIn = (languages: Languages | undefined): string | undefined =>
  languages && (languages.en ?? languages['en-US'] ?? languages['en-GB'] ?? Object.values(languages)[0])

const lastPart = (iri: string): string => iri.split(/[/#]/).filter(Boolean).at(-1) ?? iri

/** Names that the platform knows: those of its own accounts, whose home page is `homePage`, and of its records. */
export interface KnownNames extends Names {
  readonly homePage: string
}
const NO_NAMES: KnownNames = { people: {}, activities: {}, homePage: '' }
// The keys come from third parties, so that one may be called `constructor`.
const nameIn = (names: Names['people'], key: string): string | undefined =>
  Object.hasOwn(names, key) ? names[key] : undefined

/** Returns the handles and IRIs in these statements for which the platform may know a name. */
export function namedIn(statements: readonly Statement[], homePage: string) {
  const objects = statements.map(({ object }) => object)
  const agents = [...statements.map(({ actor }) => actor), ...objects]
  const handles = agents.flatMap(({ account }) => (account?.homePage === homePage ? [account.name] : []))
  const activities = objects.flatMap(({ id }) => (id?.includes('://') ? [id] : []))
  return { handles: listed(handles), activities: listed(activities) }
}
/** The look-up takes up to 200 values of up to 200 characters, in one text that is separated by commas. */
export const listed = (values: readonly string[]): string[] =>
  [...new Set(values)].filter((value) => value.length <= 200 && !value.includes(',')).slice(0, 200)

/** Names an agent. The platform's own name of an account comes before the name that the statement contains. */
export const sayAgent = (
  { name, account, mbox, openid, mbox_sha1sum, objectType }: Agent,
  { people, homePage }: KnownNames = NO_NAMES,
): string =>
  (account?.homePage === homePage ? nameIn(people, account.name) : undefined) ??
  name ??
  account?.name ??
  mbox?.replace(/^mailto:/, '') ??
  openid ??
  mbox_sha1sum ??
  (objectType === 'Group' ? say.group : say.nobody)

export const sayVerb = ({ id, display }: Statement['verb']): string => sayIn(display) ?? lastPart(id)

export function sayObject(object: StatementObject, names: KnownNames = NO_NAMES): string {
  if (object.objectType === 'StatementRef') return say.statement
  if (object.objectType === 'SubStatement') return say.subStatement
  if (object.objectType === 'Agent' || object.objectType === 'Group') return sayAgent(object, names)
  return nameIn(names.activities, object.id ?? '') ?? sayIn(object.definition?.name) ?? lastPart(object.id ?? '')
}

/**
 * Converts what somebody typed into the IRI of a verb. The text may be an IRI, or the name of a verb in the library.
 * Returns undefined if there is no such verb.
 */
export const readVerb = (typed: string, library: readonly Verb[]): string | undefined =>
  typed.includes(':') ? typed : library.find(({ name }) => name.toLowerCase() === typed.toLowerCase())?.verbId

/** Returns a text that identifies an agent in the URL; undefined for anonymous groups. */
export function identify({ mbox, mbox_sha1sum, openid, account }: Agent): string | undefined {
  if (mbox) return mbox.replace(/^mailto:/, '')
  const known = account ? { account } : openid ? { openid } : mbox_sha1sum ? { mbox_sha1sum } : undefined
  return known && JSON.stringify(known)
}

/**
 * Converts what somebody typed into an agent in JSON. The text may be JSON, an e-mail address, or a handle of this
 * platform.
 */
export function readAgent(typed: string, homePage: string): string {
  if (typed.startsWith('{')) return typed
  if (/^(?:mailto:)?[^@\s]+@[^@\s]+$/.test(typed))
    return JSON.stringify({ mbox: `mailto:${typed.replace(/^mailto:/, '')}` })
  return JSON.stringify({ account: { homePage, name: typed.startsWith('@') ? typed : `@${typed}` } })
}

export function sayResult({ result }: Statement): string {
  if (!result) return ''
  const score = result.score?.scaled ?? result.score?.raw
  const success = result.success === undefined ? undefined : result.success ? say.succeeded : say.failed
  return [success, score === undefined ? undefined : say.score(String(score))].filter(Boolean).join(', ')
}
