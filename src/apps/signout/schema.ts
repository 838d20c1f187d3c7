import { type TSchema, Type } from 'typebox'
import { Id, Text } from '../../kernel/http/input/fields.ts'

const optional = <T extends TSchema>(field: T) => Type.Optional(field)

/** The parameters of a logout request (OpenID Connect RP-Initiated Logout 1.0 §2). */
export const logoutFields = {
  id_token_hint: optional(Id('An ID token of the user, which may have expired. Without it, the user is asked', 8000)),
  client_id: optional(Id("The app's client ID; needed to return to the app if there is no `id_token_hint`")),
  post_logout_redirect_uri: optional(Id('Where to return to, exactly as registered', 2000)),
  state: optional(Text('Returned unchanged', 2000)),
  logout_hint: optional(Text('Accepted and ignored', 1000)),
  ui_locales: optional(Text('Accepted and ignored: the pages are in English', 200)),
}
export const LogoutQuery = Type.Object(logoutFields)
export const LogoutForm = Type.Object({
  ...logoutFields,
  decision: Type.Union([Type.Literal('sign-out'), Type.Literal('stay')], { description: "The user's choice" }),
})

export const NameLogoutApp = Type.Object({ clientId: Id('Client ID of the app') })
const Moment = Type.String({ format: 'date-time' })
export const FailedLogouts = Type.Array(
  Type.Object({
    userId: Type.String({ description: "The user's id in this app" }),
    createdDate: Type.String({ format: 'date-time', description: 'When the user was signed out' }),
    failedDate: Moment,
    attempts: Type.Integer(),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'Status of the last response, if there was one' }),
    problem: Type.String({ description: 'Why the last attempt failed' }),
  }),
  { title: 'FailedLogouts' },
)
