import assert from 'node:assert/strict'
import { test } from 'node:test'
import { size } from '../../operations/testing/sizes.ts'
import { type Client, testApp } from '../../operations/testing/testing.ts'
import type { SearchedNames } from '../people/search-keys.ts'
import { loadCast } from './testing.ts'

/** Search terms, each with the handle or name that must be among the first three results. */
const TABLE: Record<string, readonly (readonly [typed: string, wanted: string])[]> = {
  'a handle as it is': [
    ['@vaisanen_v3', '@vaisanen_v3'],
    ['falconstorm405', '@falconstorm405'],
    ['cessnawolf386', '@cessnawolf386'],
    ['vihaan.toromson', '@vihaan.toromson'],
    ['MPENASEZ', '@mpenasez'],
  ],
  'a handle without its marks, or with others': [
    ['vihaan toromson', '@vihaan.toromson'],
    ['mariabarimfeld', '@maria.barimfeld'],
    ['osveez-y37', '@osveez_y37'],
    ['skypilot 144', '@skypilot144'],
  ],
  'a handle with a slip': [
    ['falconstrom405', '@falconstorm405'],
    ['cesnawolf386', '@cessnawolf386'],
    ['mpenasze', '@mpenasez'],
    ['elansesenn', '@elansesen'],
    ['skyplot144', '@skypilot144'],
    ['rocketcesna441', '@rocketcessna441'],
    ['vihan.toromson', '@vihaan.toromson'],
  ],
  'the beginning of a handle or name': [
    ['vihaan.tor', '@vihaan.toromson'],
    ['starwing4231', '@starwing423155753'],
    ['zelomst', 'Zelomstein'],
    ['barimf', 'Barimf'],
    ['puigdom', 'Puigdomènech'],
    ['krishnam', 'Krishnamurthy'],
    ['zubiz', 'Zubizarreta'],
    ['heather zelo', 'Heather Zelomstein'],
    ['martin pena', 'Martín Penalard'],
  ],
  'a full name as it is': [
    ['Keith Zeldefeld', '@kzeldefeld'],
    ['Maria Moore', 'Maria Moore'],
    ['Jonathan Mensah', 'Jonathan Mensah'],
    ['michelle sophia toralmann', '@michellesophia.toralmann'],
    ['robert anderson', 'Robert Anderson'],
  ],
  'two words in the other order': [
    ['zeldefeld keith', '@kzeldefeld'],
    ['mensah jonathan', 'Jonathan Mensah'],
    ['penalard martin', '@martin.penalard'],
    ['garcia denise', 'Denise García'],
    ['toralmann michelle', '@michellesophia.toralmann'],
  ],
  'without accents': [
    ['helene halesfeld', '@helene.halesfeld'],
    ['loic zelalini', '@zelalini_l45'],
    ['ondrej laniwicz', '@bluestar828'],
    ['oystein maranidis', '@oystein.maranidis'],
    ['lukasz cwik', '@lukasz.cwik'],
    ['inaki penbeidis', '@inaki.penbeidis'],
    ['yigit osveez', '@osveez_y37'],
    ['swietoslawa garkedottir', '@garkedottir_s59'],
    ['vaino vaisanen', 'Väinö Väisänen'],
    ['luis blaszczyk', 'Luis Błaszczyk'],
  ],
  'with accents and case that nobody asked for': [
    ['KÉITH ZÉLDEFELD', '@kzeldefeld'],
    ['Márîa Bårimfeld', '@maria.barimfeld'],
    ['ANDRIY? андрій garkemann', '@ugarkemann'],
  ],
  'two letters swapped': [
    ['kieth zeldefeld', '@kzeldefeld'],
    ['jonahtan mensah', 'Jonathan Mensah'],
    ['hleene halesfeld', '@helene.halesfeld'],
    ['hannah kolher', 'Hannah Köhler'],
    ['maria matrinez', 'Maria Martínez'],
    ['rachel jnoes', 'Rachel Jones'],
  ],
  'a letter left out, or one too many': [
    ['keith zeldfeld', '@kzeldefeld'],
    ['chery varinby', '@varinby_c82'],
    ['cheryll varinby', '@varinby_c82'],
    ['kathrine roberts', '@roberts_k96'],
    ['tiimothy varenton', 'Timothy Varenton'],
    ['olivia roskton', '@rosketon_o12'],
    ['bjorgvin selliford', '@bseliford'],
  ],
  'one letter taken for another': [
    ['keith zeldefald', '@kzeldefeld'],
    ['katharine roberts', '@roberts_k96'],
    ['dylan fairgoino', '@fairgoini_d6'],
    ['angela mueller', 'Angela Müller'],
    ['alise osbomann', '@alice3236'],
    ['meera penases', '@mpenasez'],
  ],
  'slips in both words, or two in a long one': [
    ['kieth zeldefled', '@kzeldefeld'],
    ['theresaa rosnesne', '@theresa7694'],
    ['jonathen mensha', 'Jonathan Mensah'],
    ['krishnamurtyh', 'Krishnamurthy'],
    ['zubizareta', 'Zubizarreta'],
    ['puigdomenehc', 'Puigdomènech'],
    ['garkedotir swietoslawa', '@garkedottir_s59'],
  ],
  'a slip, and no space': [
    ['keithzeldefled', '@kzeldefeld'],
    ['jonathanmensha', 'Jonathan Mensah'],
    ['oysteinmarandis', '@oystein.maranidis'],
    ['vihaantorommson', '@vihaan.toromson'],
    ['helnehalesfeld', '@helene.halesfeld'],
  ],
  'a space too many': [
    ['keith zelde feld', '@kzeldefeld'],
    ['jona than mensah', 'Jonathan Mensah'],
    ['puig domenech', 'Puigdomènech'],
    ['falcon storm 405', '@falconstorm405'],
  ],
  'a slip in a word that is not finished': [
    ['heather zleom', 'Heather Zelomstein'],
    ['martin pnea', 'Martín Penalard'],
    ['keith zeldfe', '@kzeldefeld'],
    ['jonathan memsa', 'Jonathan Mensah'],
    ['michelle torlam', 'Toralmann'],
  ],
}

const CAST = 200_000
const PEOPLE = size(CAST)
const GOAL = 0.95

/** Returns a filter that keeps everybody whom the table expects, and a fixed share of all other people. */
function makeChoice(): (person: SearchedNames) => boolean {
  const wanted = Object.values(TABLE).flatMap((rows) => rows.map(([, one]) => one.replaceAll('.', '\\.')))
  const pattern = new RegExp(wanted.join('|'))
  let seen = 0
  return ({ handle, firstName, lastName }) =>
    seen++ % (CAST / PEOPLE) === 0 || pattern.test(`${handle} ${firstName} ${lastName}`)
}

test(`of ${PEOPLE.toLocaleString('en')} people the one who was meant is among the first three`, async (t) => {
  const app = await testApp(t, { RATE_SEARCH_PER_SECOND: '1000000', RATE_SEARCH_BURST: '1000000' })
  const avery = await app.as('avery')
  await loadCast(app.connection, { people: CAST, clientId: 'gs-first', keeps: makeChoice() })
  const queries = Object.values(TABLE).flat()
  assert.ok(queries.length >= 60)
  const missed: string[] = []
  for (const [kind, rows] of Object.entries(TABLE)) {
    let hits = 0
    for (const [typed, wanted] of rows) {
      const found = await firstThree(avery, typed)
      if (found.some((one) => one.includes(wanted))) hits++
      else missed.push(`${typed}: wanted ${wanted}, found ${found.join('; ')}`)
    }
    t.diagnostic(`${kind}: ${hits} of ${rows.length}`)
  }
  const share = 1 - missed.length / queries.length
  t.diagnostic(`all: ${queries.length - missed.length} of ${queries.length} (${(100 * share).toFixed(1)} %)`)
  for (const miss of missed) t.diagnostic(`missed: ${miss}`)
  assert.ok(share >= GOAL, missed.join('\n'))
})

/** Returns the first three results, each as a text of handle and name. */
async function firstThree(client: Client, term: string): Promise<string[]> {
  const answer = await client.get(`/user/v1/search?term=${encodeURIComponent(term)}&limit=3`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.docs.map((entry: Record<string, string>) => `${entry.handle} ${entry.firstName} ${entry.lastName}`)
}
