import { type Static, Type } from 'typebox'
import { AnyJson, DateTime, Id, JsonObject, Text } from '../../../kernel/http/input/fields.ts'

const ids = 'lessonId, classId, studentId, lessonResultId, objectiveId, courseId, badgeId'

export const CaptureV2 = Type.Object(
  {
    id: Type.Optional(Id("The statement's id, a UUID: sending it again changes nothing", 36)),
    actor: AnyJson('An agent whose account has the home page of the platform and, as its name, the handle with its @'),
    verb: AnyJson('A verb of the library, as {"id": …}'),
    object: AnyJson('An activity with its platform id in `extensions`, or in `definition.extensions`'),
    result: Type.Optional(AnyJson('The result, as in xAPI')),
    context: Type.Optional(AnyJson('The context, as in xAPI; further platform ids in `extensions`')),
    timestamp: Type.Optional(DateTime('When it happened')),
    authority: Type.Optional(AnyJson('Ignored: the platform sets it')),
  },
  { additionalProperties: false },
)
export type CaptureV2 = Static<typeof CaptureV2>

export const CaptureV1 = Type.Object({
  actor: Id('userId of the acting user, in this app'),
  verb: Text('The action, as text', 200),
  object: JsonObject(`What it is about: ${ids}, and any other properties. Also as a JSON string`),
  timestamp: Type.Optional(DateTime('When it happened')),
})
export type CaptureV1 = Static<typeof CaptureV1>

export const Captured = Type.Object(
  { success: Type.Boolean(), statementId: Type.String({ description: 'A UUID' }) },
  { title: 'Captured' },
)
export type Captured = Static<typeof Captured>
