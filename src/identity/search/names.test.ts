import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, testApp } from '../../operations/testing/testing.ts'
import { settlePeople } from './testing.ts'

/** Users of the first app with public search on, as handle, first name and last name. */
const PEOPLE: readonly (readonly [handle: string, first: string, last: string])[] = [
  // Many handles and names that begin in the same way.
  ['@k3v1', 'Kevin', 'One'],
  ['@k3v1n.a1', 'Kevin', 'Two'],
  ['@k3v1n.b2', 'Kevin', 'Three'],
  ['@k3v1n.c3', 'Kevin', 'Four'],
  ['@k3v1n.x9', 'Kevin', 'Five'],
  ...['Alves', 'Barros', 'Castro', 'Dias', 'Zanetti'].map(
    (last, i) => [`@maria${i}`, 'Maria da Conceição', `da Silva ${last}`] as const,
  ),
  // Long names.
  ['@pablo', 'Pablo Diego José Francisco de Paula Juan Nepomuceno', 'Picasso'],
  ['@rosario', 'Maria do Rosário de Fátima', 'dos Santos Pereira Oliveira'],
  ['@olivia', 'Olivia', 'Stone'],
  ['@fahd', 'Fahd bin Abdul Aziz bin Abdul Rahman', 'Al Saud'],
  ['@aaud', 'Zedekiah', 'Aaud'],
  // Names in scripts where a mark is a vowel or makes a different consonant.
  ...['राम', 'रमा', 'रोमी', 'रूमा', 'रीमा'].map((first, i) => [`@sharma${i}`, first, 'शर्मा'] as const),
  ...['กิต', 'กุต', 'กีต', 'กูต'].map((first, i) => [`@thai${i}`, first, 'ใจดี'] as const),
  ...['はば', 'はぱ', 'ばは', 'ばば', 'ぱぱ'].map((last, i) => [`@kana${i}`, 'けん', last] as const),
  ['@xiaoming', '小明', '王'],
  ['@minjun', '민준', '김'],
  // A person with exactly the searched name, after more people with longer names than a search ranks.
  ...Array.from(
    { length: 220 },
    (_, i) => [`@consuelo${i}`, 'Consuelo', `Barrientos Vega${String.fromCharCode(97 + (i % 26))}`] as const,
  ),
  ['@barrientos', 'Consuelo', 'Barrientos'],
  ...['Vega', 'Mora', 'Rojo', 'Rey'].map((last, i) => [`@fuente${i}`, 'Juan de la', `Fuente ${last}`] as const),
  ...['Vega', 'Rojo', 'Rey'].map((last, i) => [`@puente${i}`, 'Juan de la', `Puente ${last}`] as const),
  ['@hanssen', 'Anders Bertil', 'Hanssen'],
  ['@hansson', 'Anders Bertil', 'Hansson'],
  // Short words that are one typing error away from many others.
  ...Array.from(
    { length: 676 },
    (_, i) => [`@x${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}${i}`, 'Short', 'Handle'] as const,
  ),
  ['@both', 'Xuq Maria', 'Xyj'],
  // Words that people may type as two words, and pairs with a rare or a common word.
  ['@macdonald', 'Flora', 'MacDonald'],
  ['@donald', 'Donald', 'Mackay'],
  ['@blackbird', 'Joseph', 'Blackbird'],
  ['@lblack', 'Lawrence', 'Black'],
  ['@falconrider', 'Zedekiah', 'Moon'],
  ...Array.from(
    { length: 210 },
    (_, i) => [`@zed${i}`, 'Zedekiah', `Common${String.fromCharCode(97 + (i % 26))}`] as const,
  ),
]

async function find(client: Client, term: string): Promise<string[]> {
  const { status, body, text } = await client.get(`/user/v1/search?term=${encodeURIComponent(term)}`)
  assert.equal(status, 200, text)
  return body.docs.map((entry: { handle: string }) => entry.handle)
}

test('names of all kinds are found', async (t) => {
  const app = await testApp(t, { RATE_SEARCH_PER_SECOND: '1000000', RATE_SEARCH_BURST: '1000000' })
  await settlePeople(app, PEOPLE)
  const avery = await app.as('avery')
  const isFirst = (what: string, table: Record<string, string>) =>
    t.test(what, async () => {
      for (const [term, wanted] of Object.entries(table)) assert.equal((await find(avery, term))[0], wanted, term)
    })

  await isFirst('a handle or a full name as it is comes first, of however many words it is', {
    '@k3v1n.x9': '@k3v1n.x9',
    'k3v1n x9': '@k3v1n.x9',
    'Maria da Conceição da Silva Zanetti': '@maria4',
    'maria da conceicao da silva castro': '@maria2',
  })
  await isFirst('whoever is called just what was typed comes before others, and what has no slip before what has one', {
    'Consuelo Barrientos': '@barrientos',
    'barrientos consuelo': '@barrientos',
    'Consuelo Barientos': '@barrientos',
    'Juan de la Puente Rey': '@puente2',
    'Rey Juan de la Puente': '@puente2',
    'Anders Bertil Hansson': '@hansson',
    'Anders Bertil Hanssen': '@hanssen',
    'xuq xyj': '@both',
  })
  await isFirst('the last words of a long name count as the first ones do', {
    picasso: '@pablo',
    'pablo picasso': '@pablo',
    'picaso nepomuceno': '@pablo',
    oliveira: '@rosario',
    'maria oliveira': '@rosario',
    saud: '@fahd',
  })
  await isFirst('where marks are vowels or make other consonants they make a difference', {
    'रीमा शर्मा': '@sharma4',
    रीमा: '@sharma4',
    राम: '@sharma0',
    กูต: '@thai3',
    'けん ぱぱ': '@kana4',
    ぱぱけん: '@kana4',
    'ケン ババ': '@kana3',
  })
  await isFirst('a character taken for another, in scripts without spaces', { 王小朋: '@xiaoming', 김민중: '@minjun' })
  await isFirst('a space too many', {
    'mac donald': '@macdonald',
    'black bird': '@blackbird',
    'flora mac donald': '@macdonald',
  })
  await isFirst('a slip, and no space', { floramacdonlad: '@macdonald', josephblakbird: '@blackbird' })
  await isFirst('of two words that nobody has together, the one that fewer have', {
    'zedekiah falconrider': '@falconrider',
    'falconrider zedekiah': '@falconrider',
  })
  await t.test('people whom the caller has blocked do not hide others from the results', async () => {
    await app.sql(`
      insert into blocks (blocker_id, blocked_id, created_at)
      select a.id, p.id, now() from people a, people p where a.handle_key = 'avery' and p.handle_key like 'zed%'
        and p.id in (select id from people where handle_key like 'zed%' order by id limit 205)`)
    assert.equal((await find(avery, 'zedekiah')).length, 7)
  })
})
