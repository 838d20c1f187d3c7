import type { Statement, SubStatement } from './statement.ts'

/** Makes a statement with every property of version 1.0.3. Tests then change one property at a time. */
export const whole = (): Statement => ({
  id: '6b9c1c5e-2f0f-4f3a-9d0e-0d9a6f1f7a01',
  actor: { objectType: 'Agent', name: 'Ada', mbox: 'mailto:ada@example.org' },
  verb: { id: 'https://example.org/verbs/flew', display: { 'en-US': 'flew', de: 'flog' } },
  object: {
    objectType: 'Activity',
    id: 'https://example.org/sorties/7',
    definition: {
      name: { 'en-US': 'Sortie 7', de: 'Einsatz 7' },
      description: { 'en-US': 'Night landing' },
      type: 'https://example.org/types/sortie',
      moreInfo: 'https://example.org/sorties/7/about',
      interactionType: 'choice',
      correctResponsesPattern: ['a[,]b'],
      choices: [{ id: 'a', description: { 'en-US': 'Flaps', de: 'Klappen' } }, { id: 'b' }],
      extensions: { 'https://example.org/x/wind': null },
    },
  },
  result: {
    score: { scaled: 0.8, raw: 40, min: 0, max: 50 },
    success: true,
    completion: true,
    response: 'a[,]b',
    duration: 'PT1H2M3.45S',
    extensions: { 'https://example.org/x/fuel': { left: [1, null] } },
  },
  context: {
    registration: 'ec531277-b57b-4c15-8d91-d292c5b2b8f7',
    instructor: { account: { homePage: 'https://example.org', name: 'bob smith' } },
    team: { objectType: 'Group', name: 'Red', member: [{ openid: 'https://id.example.org/cy' }] },
    contextActivities: {
      parent: { id: 'https://example.org/courses/1' },
      grouping: [{ objectType: 'Activity', id: 'https://example.org/programmes/2' }],
      category: [],
    },
    revision: '3',
    platform: 'simulator',
    language: 'en-GB',
    statement: { objectType: 'StatementRef', id: '8f87ccde-bb56-4c2e-ab83-44982ef22df0' },
    extensions: {},
  },
  timestamp: '2026-03-04T05:06:07.089+02:00',
  stored: '2026-03-04T05:06:07Z',
  authority: { mbox_sha1sum: 'ebd31e95054c018b10727ccffd2ef2ec3a016ee9' },
  version: '1.0.0',
  attachments: [
    {
      usageType: 'https://example.org/usages/log',
      display: { en: 'Log' },
      description: { en: 'The log of the flight' },
      contentType: 'text/plain; charset="utf-8"',
      length: 27,
      sha2: '495395e777cd98da653df9615d09c0fd6bb2f8d4788394cd53c56a3bfdcd848a',
      fileUrl: 'https://example.org/logs/7',
    },
  ],
})

/** Makes a statement whose object is `whole()` as a sub-statement. */
export function planned(): Statement & { object: SubStatement } {
  const { id, stored, authority, version, ...inner } = whole()
  return {
    actor: { mbox: 'mailto:ada@example.org' },
    verb: { id: 'https://example.org/verbs/planned' },
    object: { ...inner, objectType: 'SubStatement' } as SubStatement,
  }
}

/** Copies a value and sets the property at a JSON pointer; undefined removes the property. */
export function put<T>(value: T, pointer: string, what: unknown): T {
  const copy = structuredClone(value)
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = parts.pop()!
  let at = copy as Record<string, unknown>
  for (const part of parts) {
    at[part] ??= {}
    at = at[part] as Record<string, unknown>
  }
  if (what === undefined) delete at[last]
  else at[last] = what
  return copy
}
