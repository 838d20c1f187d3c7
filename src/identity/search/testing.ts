import assert from 'node:assert/strict'
import pg from 'pg'
import type { TestApp } from '../../operations/testing/testing.ts'
import { SEARCH_VERSION, type SearchedNames, searchKeys } from '../people/search-keys.ts'

/**
 * Generates many people with realistic names, the same in every run. Some first and family names are common, most are
 * rare.
 */

const FIRST =
  'Maria José Anna Juan Mohammed Fatima Wei Ana Luis Ahmed Olga Elena John David Michael James Robert Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Dorothy Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Kathleen Amy Angela Shirley Brenda Emma Pamela Nicole Helen Samantha Katherine Christine Debra Rachel Carolyn Janet Catherine Heather Diane Ruth Julie Olivia Joyce Virginia Victoria Kelly Lauren Christina Joan Evelyn Judith Megan Andrea Cheryl Hannah Jacqueline Martha Gloria Teresa Sara Madison Frances Kathryn Janice Jean Abigail Alice Julia Judy Sophia Grace Denise Amber Doris Marilyn Danielle Beverly Isabella Theresa Diana Natalie Brittany Charlotte Marie Kayla Alexis Lori William Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony Mark Donald Steven Paul Andrew Joshua Kenneth Kevin Brian George Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Frank Alexander Raymond Patrick Jack Dennis Jerry Tyler Aaron Henry Adam Douglas Nathan Peter Zachary Kyle Walter Harold Jeremy Ethan Carl Keith Roger Gerald Christian Terry Sean Arthur Austin Noah Lawrence Jesse Joe Bryan Billy Jordan Albert Dylan Bruce Willie Gabriel Alan Logan Wayne Ralph Roy Eugene Randy Vincent Russell Louis Philip Bobby Johnny Bradley Jürgen Björn Zoë Chloé René André François Hélène Jérôme Anaïs Loïc Gaël Łukasz Paweł Michał Stanisław Małgorzata Agnieszka Grzegorz Świętosława Jiří Ondřej Kateřina Lukáš Eliška Matěj Vojtěch Šárka Þórður Sigríður Björgvin Ásta Hörður Guðrún Kári Magnús Hildur Väinö Jyrki Päivi Eetu Çağla Gülşen Oğuz İpek Barış Şebnem Yiğit Özge Inês Letícia Júlia Antônio Érico Taís Iñaki Núria Álvaro Begoña Óscar Raúl Martín Lucía Joaquín Tomás Agustín Rocío Nguyễn Bảo Dũng Hương Khánh Søren Åse Øystein Bjørn Astrid Ingrid Kwame Akosua Kofi Abena Yaw Efua Wanjiru Otieno Njeri Kipchoge Achieng Mutua Aarav Diya Vihaan Ananya Ishaan Kavya Rohan Meera Arjun Priya Оксана Тарас Ірина Андрій Юлія Νίκος Ελένη Γιώργος Μαρία Κώστας'.split(
    ' ',
  )
const LAST =
  'García Smith Müller Nguyễn Kim Wang Martínez López Johnson Williams Brown Jones Miller Davis Rodríguez Hernández González Wilson Anderson Taylor Moore Jackson Martin Lee Pérez Thompson White Harris Sánchez Clark Ramírez Lewis Robinson Walker Young Allen King Wright Scott Torres Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gómez Phillips Evans Turner Díaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutiérrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Cox Ward Richardson Watson Brooks Chávez Wood James Bennett Gray Mendoza Ruiz Hughes Price Álvarez Castillo Sanders Patel Myers Long Ross Foster Jiménez Schäfer Groß Köhler Weiß Jäger Krüger Schröder Böhm Dvořák Černá Procházka Veselá Růžička Kučera Křížová Říha Wójcik Kowalczyk Zieliński Dąbrowska Gąsior Łuczak Błaszczyk Ćwik Jabłońska Guðmundsson Jónsdóttir Ólafsson Þorsteinsdóttir Hämäläinen Mäkinen Väisänen Kärkkäinen Nyström Söderberg Lefèvre Dubois Gauthier Chevalier Benchérif Yılmaz Şahin Öztürk Çelik Doğan Kılıç Araújo Conceição Magalhães Gonçalves Simões Guimarães Etxeberria Puigdomènech Zubizarreta Ordóñez Piñeiro Mensah Boateng Owusu Asante Kamau Odhiambo Mwangi Sharma Krishnamurthy Banerjee Venkatesan Шевченко Коваленко Παπαδόπουλος'.split(
    ' ',
  )
/** Rare family names are composed of three parts: 26 × 40 × 24 names. */
const START =
  'Al Bar Cal Dor Ever Fair Gar Hal Ing Jar Kel Lan Mar Nor Os Pen Quin Ros Sel Tor Ul Var Wes Yar Zel Ash'.split(' ')
const MIDDLE =
  'a e i o an en in on ar er ir or al el il ol am em im om as es is os be de ge ke le me ne pe re se te ve bo do go lo'.split(
    ' ',
  )
const END =
  'berg feld mann stein well ton ford ley son sen ski wicz enko dottir idis ez ini elli eau ard wood worth by haus'.split(
    ' ',
  )
const NICK =
  'sky falcon eagle pilot captain blue silver storm night star wolf raven cloud wing jet aero cessna piper rocket comet'.split(
    ' ',
  )

/**
 * Makes a random number generator (mulberry32), which returns numbers from 0 to below 1, the same for the same seed.
 */
export function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .replace(/ø/g, 'o')
    .replace(/[^a-z]/g, '')

export function* makeCast(count: number, seed = 1): Generator<SearchedNames> {
  const random = makeRandom(seed)
  const below = (n: number) => Math.floor(random() * n)
  /** Picks a random entry, preferring the beginning of the list. */
  const common = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)]!
  const any = <T>(list: readonly T[]): T => list[below(list.length)]!
  const taken = new Set<string>()
  for (let i = 0; i < count; i++) {
    const firstName = random() < 0.08 ? `${common(FIRST)} ${common(FIRST)}` : common(FIRST)
    const lastName = random() < 0.35 ? common(LAST) : any(START) + any(MIDDLE) + any(END)
    const [first, last] = [plain(firstName) || 'user', plain(lastName) || 'name']
    const forms = [
      () => `${first}.${last}`,
      () => `${first[0]}${last}`,
      () => `${first}${below(10_000)}`,
      () => `${any(NICK)}${any(NICK)}${below(1000)}`,
      () => `${last}_${first[0]}${below(100)}`,
    ]
    let handle = any(forms)().slice(0, 24)
    while (taken.has(handle)) handle = `${handle.slice(0, 20)}${i}`
    taken.add(handle)
    yield { handle: `@${handle}`, firstName, lastName }
  }
}

const BATCH = 10_000

/** Creates users of an app with public search on, in one environment. */
export async function loadCast(
  connection: pg.ClientConfig,
  what: {
    people: number
    clientId: string
    schema?: string
    /** If given, only people for whom this returns true are created. */
    keeps?: (person: SearchedNames) => boolean
    progress?: (done: number) => void
  },
): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set search_path = ${what.schema ?? 'gs_production'}; set synchronous_commit = off`)
    let batch: object[] = []
    let done = 0
    const flush = async () => {
      await client.query(
        `with made as (
           insert into people (handle, handle_key, first_name, last_name, public_search, created_at, search_keys, search_version)
           select handle, substr(handle, 2), first_name, last_name, true, now(), array(select json_array_elements_text(keys)), $3
             from json_to_recordset($1) as r(handle text, first_name text, last_name text, keys json) returning id
         ) insert into app_users (user_id, app_id, person_id, consented_at, allowed_at)
           select 'cast-' || made.id, a.id, made.id, now(), now() from made, apps a where a.client_id = $2`,
        [JSON.stringify(batch), what.clientId, SEARCH_VERSION],
      )
      done += batch.length
      batch = []
      what.progress?.(done)
    }
    for (const named of makeCast(what.people)) {
      if (what.keeps && !what.keeps(named)) continue
      const { handle, firstName: first_name, lastName: last_name } = named
      batch.push({ handle, first_name, last_name, keys: searchKeys(named) })
      if (batch.length === BATCH) await flush()
    }
    if (batch.length > 0) await flush()
    const settle = async () => Number((await client.query('select settle_draws(5000) as settled')).rows[0].settled)
    for (let rounds = 0; (await settle()) > 0; rounds++) assert.ok(rounds < what.people, 'settle_draws never ends')
    await client.query('vacuum analyze people, app_users, findable_users, search_keys, search_words')
  } finally {
    await client.end()
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Creates these people as users of the first app with public search on, in this order. */
export async function settlePeople(
  app: TestApp,
  people: readonly (readonly [handle: string, first: string, last: string])[],
): Promise<void> {
  const rows = people.map(([handle, firstName, lastName]) => {
    const keys = searchKeys({ handle, firstName, lastName }).map(quoted)
    return `(${quoted(handle)}, ${quoted(handle.slice(1))}, ${quoted(firstName)}, ${quoted(lastName)}, array[${keys}])`
  })
  await app.sql(`
    with made as (
      insert into people (handle, handle_key, first_name, last_name, search_keys, search_version, public_search, created_at)
      select v.*, ${SEARCH_VERSION}, true, now() from (values ${rows}) v returning id
    ) insert into app_users (user_id, app_id, person_id, consented_at, allowed_at)
      select 'named-' || made.id, a.id, made.id, now(), now() from made, apps a where a.client_id = 'gs-first'`)
}
