import { accountPages } from './account/pages.ts'
import { accountOperations } from './account/routes.ts'
import { anonymousOperations } from './anonymous/routes.ts'
import { bucketOperations } from './buckets/routes.ts'
import { devicePages } from './devices/pages.ts'
import { deviceOperations } from './devices/routes.ts'
import { exportPages } from './exports/pages.ts'
import { exportOperations } from './exports/routes.ts'
import { familyPages } from './families/pages.ts'
import { familyOperations } from './families/routes.ts'
import { friendPages } from './friends/pages.ts'
import { friendOperations } from './friends/routes.ts'
import type { Operation } from './http/operation.ts'
import type { Page } from './http/page.ts'
import { oauthPages } from './oauth/pages.ts'
import { oauthOperations } from './oauth/routes.ts'
import { standardOperations } from './oauth/standard-routes.ts'
import { passkeyPages } from './passkeys/pages.ts'
import { passkeyOperations } from './passkeys/routes.ts'
import { peopleOperations } from './people/routes.ts'
import { picturePages } from './pictures/pages.ts'
import { pictureOperations } from './pictures/routes.ts'
import { profilePages } from './profiles/pages.ts'
import { profileOperations } from './profiles/routes.ts'
import { searchOperations } from './search/routes.ts'

/** The product's table of contents: every area, in the order in which a newcomer meets them. */
export const operations: readonly Operation[] = [
  ...oauthOperations, // /oauth: how an app gets its tokens
  ...standardOperations, // /oauth/v2: the same by the book, for OAuth libraries
  ...deviceOperations, // /oauth/v2/device: devices without a browser
  ...accountOperations, // /account/v1: one's own apps, devices and password
  ...exportOperations, // /account/v1/export: everything that is kept about oneself
  ...passkeyOperations, // /account/v1/passkey: passkeys as a second way to sign in
  ...profileOperations, // /user/v1: who a user is
  ...searchOperations, // /user/v1/search: other users of the app
  ...anonymousOperations, // /user/v1/my/profile: users without an account
  ...peopleOperations, // /account/v1/delete: leaving for good
  ...friendOperations, // /user/v1/my/friends: friends, requests and blocks
  ...familyOperations, // /account/v1/children: parents, and the accounts of their children
  ...pictureOperations, // /user/v1/my/profile/picture, /image/v1: what people look like
  ...bucketOperations, // /app/v1/bucket: small JSON documents of an app
]

/** What people look at. */
export const pages: readonly Page[] = [
  ...oauthPages, // /oauth/signin: sign in, allow or deny an app
  ...devicePages, // /device: type the code that a device shows, allow or deny it
  ...accountPages, // /account: the same, for people
  ...passkeyPages, // /account/passkey: the forms of the account page's passkeys
  ...profilePages, // /account/profile: what one says about oneself
  ...picturePages, // /account/profile/picture: the forms of picture and cover
  ...friendPages, // /account/friends: friends, requests and blocks
  ...familyPages, // /account/children: the accounts of one's children
  ...exportPages, // /account/data: download everything, delete the account
]
