import assert from 'node:assert/strict'
import type { EnvironmentName } from '../../kernel/config.ts'
import { type Answer, type AppName, Client, type TestApp } from '../../operations/testing/testing.ts'

export const PATH = '/app/v1/bucket'

/** Settings for tests that send more requests than a person would. */
export const UNLIMITED = {
  RATE_TOKEN_PER_SECOND: '1000000',
  RATE_TOKEN_BURST: '10000000',
  RATE_ADDRESS_PER_SECOND: '1000000',
  RATE_ADDRESS_BURST: '10000000',
  LOG_SAMPLE: '0',
}

/** Settings that let one user use up the whole quota of an app. */
export const UNSHARED = { STORAGE_USER_PERCENT: '100', STORAGE_ANONYMOUS_PERCENT: '100' }

export const ok = (answer: Answer): Answer => {
  assert.equal(answer.status, 200, answer.text)
  return answer
}
export const version = async (client: Client, id: string): Promise<number> =>
  ok(await client.get(PATH, { id })).body.version as number

/** Registers an app that no other test uses, so that its quota and versions are not affected. */
export async function registerApp(app: TestApp, name: string, blocksLimit: number): Promise<AppName> {
  await app.sql(
    `with app as (
       insert into apps (client_id, name, status, created_at) values ('gs-${name}', '${name}', 'approved', now()) returning id
     ) insert into app_storage (app_id, blocks_limit) select id, ${blocksLimit} from app`,
  )
  return name as AppName
}

/** Returns a client for the same user that talks to another process. */
export const through = (client: Client, address: string): Client => new Client(address, client.token, client.userId)

/**
 * Asserts that the charged blocks match the stored data, for every app, every user, and all anonymous users together,
 * and that nothing of deleted buckets is left.
 */
export async function assertStorageAddsUp(app: TestApp, environment?: EnvironmentName): Promise<void> {
  const wrong = await app.sql(
    `with kept as (
       select app_id, sum(blocks) as charged, sum(greatest(1, ceil(octet_length(data::text) / 1024.0))) as blocks,
              sum(blocks) filter (where by_anonymous) as by_anonymous
         from buckets group by app_id
     ) select * from app_storage left join kept using (app_id)
        where blocks_used <> coalesce(charged, 0) or charged <> blocks or anonymous_blocks <> coalesce(by_anonymous, 0)`,
    environment,
  )
  assert.deepEqual(wrong, [])
  const wrongOfUsers = await app.sql(
    `select user_id, p.anonymous, u.blocks_used, sum(b.blocks) as kept, array_agg(b.by_anonymous) as marks
       from user_storage u join app_users using (user_id) join people p on p.id = person_id left join buckets b using (payer_no)
      group by user_id, p.anonymous, u.blocks_used
     having u.blocks_used <> coalesce(sum(b.blocks), 0) or bool_or(b.by_anonymous <> p.anonymous)`,
    environment,
  )
  assert.deepEqual(wrongOfUsers, [])
  const orphans = await app.sql(
    `select bucket_no from bucket_changes where bucket_no not in (select bucket_no from buckets)`,
    environment,
  )
  assert.deepEqual(orphans, [])
}

interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly data: any
}

/** A change stream over HTTP. */
export interface Stream {
  readonly response: Response
  /** Returns the next event; fails if none arrives in time. */
  next(timeoutMs?: number): Promise<StreamEvent>
  /** Waits for the server to end the stream. */
  ended(timeoutMs?: number): Promise<void>
  close(): Promise<void>
}

export async function openStream(
  client: Client,
  query: Record<string, string>,
  headers: Record<string, string> = {},
  path = `${PATH}/events`,
): Promise<Stream> {
  const abort = new AbortController()
  const response = await fetch(`${client.address}${path}?${new URLSearchParams(query)}`, {
    headers: { ...(client.token ? { authorization: `Bearer ${client.token}` } : {}), ...headers },
    signal: abort.signal,
  })
  const events = readEvents(response)
  const close = async () => {
    abort.abort()
    await events.return(undefined).catch(() => {})
  }
  const step = (timeoutMs: number) => within(events.next(), timeoutMs, close)
  return {
    response,
    next: async (timeoutMs = 5000) => {
      const { value, done } = await step(timeoutMs)
      assert.ok(!done, 'the stream ended')
      return value
    },
    ended: async (timeoutMs = 5000) => {
      const { value, done } = await step(timeoutMs)
      assert.ok(done, `an event came where the stream should have ended: ${JSON.stringify(value)}`)
    },
    close,
  }
}

async function* readEvents(response: Response): AsyncGenerator<StreamEvent, undefined> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map<string, string>()
      for (const line of text.slice(0, end).split('\n')) {
        const colon = line.indexOf(': ')
        if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2))
      }
      text = text.slice(end + 2)
      const [event, data] = [fields.get('event'), fields.get('data')]
      if (event !== undefined && data !== undefined) yield { id: fields.get('id'), event, data: JSON.parse(data) }
    }
  }
  return undefined
}

async function within<T>(promise: Promise<T>, timeoutMs: number, giveUp: () => Promise<void>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Nothing came within ${timeoutMs} ms`))
      void giveUp()
    }, timeoutMs)
  })
  promise.catch(() => {})
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
