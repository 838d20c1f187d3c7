import { launchApp } from '../../apps/oauth/launch.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { atoEvents, type RequestDocument } from './events.ts'
import { lockPackage, readDistributions } from './packages.ts'
import { MAX_REQUESTS } from './rules.ts'
import type {
  AtoEntry,
  AtoPlugin,
  ListAtoPlugins,
  ListRequests,
  NameRequest,
  OpenRequest,
  Request,
  RequestEntry,
  StartRequest,
} from './schema.ts'
import * as store from './store.ts'

/** Finds a request about an app that the caller develops. Throws for any other request, and for an unknown id. */
async function readOwn(db: Db, who: PersonCaller, requestId: string) {
  const row = await db.first(store.findRequest, { person: who.personId, request: requestId })
  if (!row) throw fail('forbidden', 'There is no request with this id, or you do not work on its app')
  return row
}

/** Starts a request for a package with an ATO plugin. `url` is the base URL of the platform's own pages. */
export function startRequest(db: Db, who: PersonCaller, what: StartRequest, url: string): Promise<Request> {
  return db.transaction(async (tx) => {
    const { row, requests } = await lockPackage(tx, who, what.packageId)
    const plugin = await tx.first(store.findPlugin, { client: what.pluginClientId })
    if (!plugin) throw fail('notFound', 'There is no active ATO plugin with this client ID')
    if (requests >= MAX_REQUESTS)
      throw fail('impossibleNow', `A package can have at most ${MAX_REQUESTS} requests; create another package`)
    const key = makeId()
    const { id, name } = plugin
    const fields = {
      key,
      package: row.id,
      plugin: id,
      client: what.pluginClientId,
      name,
      person: who.personId,
      now: who.at,
    }
    const made = await tx.first(store.insertRequest, fields)
    if (!made)
      throw fail(
        'conflict',
        'This package already has an open request to this plugin: wait until it is completed, or cancel it',
      )
    await atoEvents.emit(tx, {
      kind: 'request.started',
      subject: `request:${made.id}`,
      payload: { plugin: plugin.id, document: await readDocument(tx, { requestId: made.id, packageId: row.id, url }) },
      at: who.at,
    })
    return readRequest(tx, who, { requestId: key })
  })
}

async function readDocument(
  tx: Tx,
  what: { requestId: number; packageId: number; url: string },
): Promise<RequestDocument> {
  const row = (await tx.first(store.findStarted, { request: what.requestId }))!
  return {
    requestId: row.key,
    companyId: row.company,
    companyName: row.company_name,
    companyPhone: row.phone,
    requestingUserFirstName: row.first_name,
    requestingUserLastName: row.last_name,
    requestingUserEmail: row.email,
    appName: row.app_name,
    packageName: row.package_name,
    reportUri: `${what.url}/console/ato/${row.key}`,
    status: row.status,
    completed: row.status === 'completed',
    cancellable: row.is_cancellable,
    distributions: await readDistributions(tx, what.packageId),
  }
}

export async function readRequest(db: Db, who: PersonCaller, what: NameRequest): Promise<Request> {
  const row = await readOwn(db, who, what.requestId)
  const entries = await db.all(store.listEntries, { request: row.id })
  return { ...toEntry(row), timeline: entries.map(toTimeline) }
}

export async function listRequests(db: Db, who: PersonCaller, what: ListRequests): Promise<Page<RequestEntry>> {
  const { clientId: client, packageId = null } = what
  const rows = await db.all(store.listRequests, {
    person: who.personId,
    client,
    package: packageId,
    ...spanOf(what),
  })
  return pageOf(rows.map(toEntry), rows[0]?.total ?? 0, what)
}

/** Cancels a request. Cancelling a cancelled request again is no error. */
export async function cancelRequest(db: Db, who: PersonCaller, what: NameRequest): Promise<Request> {
  const { id } = await readOwn(db, who, what.requestId)
  const done = await db.first(store.cancelRequest, { request: id, person: who.personId, now: who.at })
  const request = await readRequest(db, who, what)
  if (done || request.cancelledDate) return request
  throw fail(
    'impossibleNow',
    request.completedDate
      ? 'This request is completed'
      : 'The plugin does not allow this request to be cancelled at the moment',
  )
}

/**
 * Returns the URL that opens the request in the plugin. It contains a code for the caller, so nobody else may use it.
 */
export async function openRequest(
  db: Db,
  who: PersonCaller,
  what: OpenRequest,
  policy: TokenPolicy,
): Promise<{ uri: string }> {
  const { plugin_client_id: clientId, redirect_uri: launchUri, ...row } = await readOwn(db, who, what.requestId)
  if (row.is_plugin_removed) throw fail('impossibleNow', 'The plugin that handled this request was deleted')
  if (launchUri === null) throw fail('impossibleNow', 'The plugin that handles this request is not active')
  return launchApp(db, who, { clientId, launchUri, state: what.requestId, isAllowed: what.allow ?? false }, policy)
}

/** Lists the ATO plugins that currently accept requests. */
export async function listAtoPlugins(db: Db, what: ListAtoPlugins): Promise<Page<AtoPlugin>> {
  const rows = await db.all(store.listPlugins, spanOf(what))
  const docs = rows.map(({ client_id: pluginClientId, name, description }) => ({ pluginClientId, name, description }))
  return pageOf(docs, rows[0]?.total ?? 0, what)
}

/** Yields the person's actions on requests, for the data export. */
export async function* exportEntries(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportEntries, { person: personId, after })
    for (const row of rows)
      yield {
        requestId: row.request,
        appName: row.app_name,
        packageName: row.package_name,
        kind: row.kind,
        date: row.at,
        ...JSON.parse(row.detail),
      }
    if (rows.length < 500) return
    after = rows.at(-1)!.id
  }
}

const toTimeline = ({ kind, at, by, detail }: RowOf<typeof store.listEntries>): AtoEntry => ({
  kind,
  date: at,
  by,
  status: null,
  alert: null,
  distribution: null,
  ...JSON.parse(detail),
})

const toEntry = (row: Omit<RowOf<typeof store.listRequests>, 'total'>): RequestEntry => ({
  requestId: row.key,
  packageId: row.package,
  packageName: row.package_name,
  clientId: row.client_id,
  appName: row.app_name,
  pluginClientId: row.plugin_client_id,
  pluginName: row.plugin_name,
  pluginRemoved: row.is_plugin_removed,
  startedBy: row.started_by,
  status: row.status,
  cancellable: row.can_cancel,
  startedDate: row.started_at,
  changedDate: row.changed_at,
  completedDate: row.completed_at,
  cancelledDate: row.cancelled_at,
})
