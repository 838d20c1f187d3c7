import { createClient, createPlugin, PlatformError, type RecordOfUser } from 'groundschool-sdk'
import { log, readSettings, serve } from '../start.ts'
import { findCapabilities, type Knowledge, learn, rankCandidates } from './engine.ts'

const settings = readSettings(
  'The built-in engine of the mission planner: it finds people by what they learned, the badges they hold and the skills they name.',
  { clientId: 'gs-demo-ai', port: 4101 },
  { CACHE_SECONDS: 'how long records are kept in memory (10)' },
)
const keptMs = 1000 * Number(process.env.CACHE_SECONDS ?? 10)
/** Timeout of a call to the platform, short enough to respond within the ten seconds that the platform waits. */
const TIMEOUT_MS = 4000
const MOST_PEOPLE = 20_000
const platform = createClient({
  baseUrl: settings.platform,
  clientId: settings.clientId,
  secret: settings.secrets[0],
  timeoutMs: TIMEOUT_MS,
})

/** Caches the index by set of organisations, so that parallel searches share one read. */
const kept = new Map<string, { until: number; knowledge: Promise<Knowledge> }>()

function read(orgIds: readonly string[]): Promise<Knowledge> {
  const key = orgIds.toSorted().join()
  const found = kept.get(key)
  if (found && found.until > Date.now()) return found.knowledge
  const knowledge = readAll(orgIds)
  kept.set(key, { until: Date.now() + keptMs, knowledge })
  knowledge.catch(() => kept.delete(key))
  for (const [oldest, { until }] of kept) if (until <= Date.now() || kept.size > 20) kept.delete(oldest)
  return knowledge
}

async function readAll(orgIds: readonly string[]): Promise<Knowledge> {
  const records: RecordOfUser[] = []
  const readRecords = async () => {
    for await (const record of platform.eachRecord({ orgIds })) if (records.push(record) >= MOST_PEOPLE) break
  }
  const [, ofCourses, ofObjectives] = await Promise.all([
    readRecords(),
    unlessRefused(() => platform.listCourseBadges({ orgIds })),
    unlessRefused(() => platform.listObjectiveBadges({ orgIds })),
  ])
  const badges = [...ofCourses, ...ofObjectives]
  return learn(records, new Map(badges.map(({ badgeId, description }) => [badgeId, description])))
}

/** Returns an empty list if the plugin lacks the permission to list badges, because badge descriptions are optional. */
async function unlessRefused<T>(ask: () => Promise<T[]>): Promise<T[]> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof PlatformError && error.errorCode === 4014) return []
    throw error
  }
}

const plugin = createPlugin({
  clientId: settings.clientId,
  secrets: settings.secrets,
  async onCapabilitiesSearch({ searchId, text, orgIds }) {
    const found = findCapabilities(await read(orgIds), text)
    log(`search ${searchId}: ${found.length} capabilities for ${JSON.stringify(text.slice(0, 100))}`)
    return found
  },
  async onCandidateSearch({ searchId, capabilityIds, orgIds, limit }) {
    const found = rankCandidates(await read(orgIds), capabilityIds, limit)
    log(`search ${searchId}: ${found.length} candidates for ${JSON.stringify(capabilityIds).slice(0, 200)}`)
    return found
  },
  onError: (error, purpose) => log(`${purpose} failed: ${error}`),
})

await serve(plugin.node, settings)
// Make a call now, so that a wrong configuration is reported at the start and not at the first search.
platform.listRecords({ limit: 1 }).catch((error) => {
  const isRefused = error instanceof PlatformError && error.status === 401
  const hint = isRefused ? 'Check CLIENT_ID and CLIENT_SECRET, and that the plugin is active with user-records.' : ''
  log(
    `Warning: a first call to ${settings.platform} failed, searches will too. ${error.cause ?? error.message} ${hint}`,
  )
})
