import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { appSection } from '../../apps/apps/import.ts'
import { organisationSection } from '../../apps/organisations/import.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Field } from '../../kernel/imports/fields.ts'
import { type ImportTie, isObject, readInBatches, type StoredEntry } from '../../kernel/imports/section.ts'
import { findUriMistake } from '../../kernel/outbound/outbound.ts'
import * as store from './import-store.ts'
import { KINDS, PERMISSIONS, PURPOSES } from './schema.ts'

const Uri = Type.Optional(Type.String({ minLength: 1, maxLength: 2000 }))
const PluginEntry = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    description: Type.Optional(Type.String({ maxLength: 2000 })),
    addresses: Type.Optional(
      Type.Object(
        { request: Uri, distributions: Uri, capabilities: Uri, candidates: Uri },
        { additionalProperties: false },
      ),
    ),
    /** Permissions that the plugin is granted. */
    permissions: Type.Optional(Type.Array(Type.String(), { maxItems: 10, uniqueItems: true })),
    organisations: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 1000, uniqueItems: true })),
    active: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type PluginEntry = Static<typeof PluginEntry>
const shape = Compile(PluginEntry)

interface AppEntry {
  readonly key: string
  readonly plugin?: unknown
}
const pluginOf = ({ plugin }: Partial<AppEntry>): PluginEntry | undefined =>
  shape.Check(plugin) ? (plugin as PluginEntry) : undefined

type StoredPlugin = RowOf<typeof store.findPlugins>

/** Imports the field `plugin` of an app, which makes the app a plugin. */
export const pluginTie: ImportTie<AppEntry, StoredEntry, ReadonlyMap<number, StoredPlugin>, Required<PluginEntry>> = {
  field: 'plugin',
  schema: Type.Optional(
    Type.Unknown({
      must: 'an object with kind and, optionally, description, addresses, permissions, organisations and active',
      about:
        'Makes the app a plugin: kind `ai` or `ato`, `addresses` by purpose (request, distributions, capabilities, candidates), granted `permissions`, keys of the `organisations` that it has access to, and whether it is `active`. Fields that are left out stay the same; a list replaces the previous one',
    } satisfies Field),
  ),
  when: 'with',

  *check(apps) {
    for (const [i, { plugin }] of apps.entries()) {
      if (plugin === undefined) continue
      const place = `apps[${i}].plugin`
      if (!isObject(plugin)) yield `${place}: must be an object`
      for (const { instancePath, message } of shape.Errors(plugin).slice(0, 5))
        yield `${place}${instancePath.replace(/\/(\d+)/g, '[$1]').replaceAll('/', '.')}: ${message}`
      const entry = pluginOf({ plugin })
      if (!entry) continue
      const [purposes, permissions]: [readonly string[], readonly string[]] = [
        PURPOSES[entry.kind],
        PERMISSIONS[entry.kind],
      ]
      for (const [purpose, uri] of Object.entries(entry.addresses ?? {})) {
        // Only the form of the address is checked here. Whether it is public is checked when something is sent to it.
        const mistake = purposes.includes(purpose)
          ? findUriMistake(uri, { allowsLoopback: true })
          : `be left out: a plugin of this kind has URLs for ${purposes.join(', ')}`
        if (mistake) yield `${place}.addresses.${purpose}: must ${mistake}`
      }
      for (const [j, permission] of (entry.permissions ?? []).entries())
        if (!permissions.includes(permission))
          yield `${place}.permissions[${j}]: must be one of ${permissions.join(', ')}`
    }
  },

  *refer(entry, place) {
    for (const [j, key] of (pluginOf(entry)?.organisations ?? []).entries())
      yield { place: `${place}.plugin.organisations[${j}]`, to: organisationSection, key }
  },

  async checkHere(db, apps, { find }) {
    const known = apps.flatMap((entry, i) => {
      const found = entry.plugin === undefined ? undefined : find(appSection, entry.key)
      return found ? [{ i, id: found.id, kind: pluginOf(entry)?.kind }] : []
    })
    const rows = await db.all(store.findPlugins, { apps: known.map(({ id }) => id) })
    const kinds = new Map(rows.map(({ app_id, kind }) => [app_id, kind]))
    return known.flatMap(({ i, id, kind }) =>
      kinds.has(id) && kinds.get(id) !== kind ? [`apps[${i}].plugin.kind: must stay ${kinds.get(id)}`] : [],
    )
  },

  async read(db, apps) {
    const ids = apps.filter(({ entry }) => entry.plugin !== undefined).map(({ id }) => id)
    const rows = await readInBatches(ids, (batch) => db.all(store.findPlugins, { apps: batch }))
    return new Map(rows.map((row) => [row.app_id, row]))
  },

  plan(entry, found, state) {
    const entered = pluginOf(entry)
    if (!entered) return undefined
    const row = found && state.get(found.id)
    const stored: Partial<Required<PluginEntry>> = row
      ? {
          description: row.description,
          addresses: JSON.parse(row.addresses) as Required<PluginEntry>['addresses'],
          permissions: row.permissions,
          organisations: row.organisations,
          active: row.is_active,
        }
      : {}
    const change = {
      kind: entered.kind,
      description: entered.description ?? stored.description ?? '',
      addresses: entered.addresses ?? stored.addresses ?? {},
      permissions: entered.permissions ?? stored.permissions ?? [],
      organisations: entered.organisations ?? stored.organisations ?? [],
      active: entered.active ?? stored.active ?? true,
    }
    return row && canonical(change) === canonical({ kind: row.kind, ...stored }) ? undefined : change
  },

  pick: (_entry, change) => change,

  async write(tx, who, changes, { idOf }) {
    const rows = changes.map(({ id, change: { active, organisations, ...rest } }) => ({
      app_id: id,
      ...rest,
      is_active: active,
      organisations: organisations.map((key) => idOf(organisationSection, key)),
    }))
    await tx.all(store.writePlugins, { rows: JSON.stringify(rows), now: who.at })
    await tx.all(store.replaceParts, { rows: JSON.stringify(rows), now: who.at })
  },
}

/** Writes JSON with sorted keys and lists, so that values that differ only in order become equal. */
const canonical = (value: object): string =>
  JSON.stringify(value, (_key, one) =>
    Array.isArray(one)
      ? [...one].sort()
      : isObject(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
  )
