import { BASE_URL } from '../../kernel/samples.ts'

const as = 'ellis' as const
const version = { 'X-Experience-API-Version': '2.0.0' }
export const AVERY = { objectType: 'Agent', account: { homePage: BASE_URL, name: '@avery' } }
/** The statement that the examples of the record store speak of. */
const statement = {
  id: '5e2f6d3a-8f41-4b0e-9a53-1c1d7a3f9d10',
  actor: AVERY,
  verb: { id: 'http://adlnet.gov/expapi/verbs/experienced', display: { en: 'experienced' } },
  object: { objectType: 'Activity', id: 'https://school.example/simulator/crosswind' },
  result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H30M' },
}

export const examples = {
  sendStatements: {
    description:
      'For any tool that speaks xAPI. Sending a statement again changes nothing; a different one with the same id is refused with 409. Either all statements of a batch are stored or none, and each fault is reported with its place.',
    example: { request: { body: [statement] }, headers: version },
  },
  putStatement: {
    description:
      'Stores one statement under the id in the address. Sending it again changes nothing, so it is safe to repeat after a lost answer.',
    example: { request: { statementId: statement.id, body: statement }, headers: version },
  },
  getStatements: {
    description:
      'Newest first, a page at a time; `more` is the path of the next page and is valid for a day. A caller with only the scope statements/read/mine sees what they have sent themselves. A statement that refers to another one is also found if that one matches.',
    example: { request: { verb: statement.verb.id, limit: 10 }, headers: version, after: 'sendStatements' },
  },
  getActivity: {
    description:
      'It is merged from statements whose senders have the scope define. With Accept-Language, each name is shown in one language.',
    example: { request: { activityId: statement.object.id }, headers: version, after: 'sendStatements' },
  },
  getAgent: {
    description:
      'A Person as in the xAPI specification: the identifier, and the names that the agent has had in statements. Other identifiers of the person are not revealed.',
    example: { request: { agent: JSON.stringify(statement.actor) }, headers: version, as, after: 'sendStatements' },
  },
  getAbout: {
    description: 'Clients call this first, to choose a version. It needs no key and no version header.',
    example: {},
  },
}
