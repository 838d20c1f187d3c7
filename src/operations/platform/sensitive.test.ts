import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../app.ts'

/**
 * The sensitive operations, written down by hand. `access.test.ts` checks that the platform enforces what operations
 * declare; this table notices a declaration that was weakened. Whoever changes it decides who may do what.
 */
const SENSITIVE = `
  createOrganisation             administrator
  listOrganisationStorage        administrator
  setFileLimit                   administrator
  listChangedApps                administrator
  setAppStatus                   administrator, recent sign-in
  markAppLookedAt                administrator, recent sign-in
  registerApp                    recent sign-in
  changeApp                      recent sign-in
  addAppSecret                   recent sign-in
  dropOldAppSecret               recent sign-in
  resetTestPeople                recent sign-in

  setProvider                    recent sign-in
  setProviderMode                recent sign-in
  removeProvider                 recent sign-in
  addProviderDomain              recent sign-in
  proveProviderDomain            recent sign-in
  removeProviderDomain           recent sign-in
  unlinkProviderIdentity         recent sign-in

  registerPlugin                 recent sign-in
  changePlugin                   recent sign-in
  removePlugin                   recent sign-in
  removeConnection               recent sign-in
  addPluginSecret                recent sign-in
  dropOldPluginSecret            recent sign-in
  giveOrganisationToPlugin       recent sign-in
  grantPluginPermissions         administrator, recent sign-in

  addVerb                        administrator
  removeVerb                     administrator
  listCredentials                administrator
  makeCredential                 administrator, recent sign-in
  changeCredential               administrator, recent sign-in
  revokeCredential               administrator, recent sign-in
  addCredentialSecret            administrator, recent sign-in
  dropOldCredentialSecret        administrator, recent sign-in
  removeOldStatements            scope all

  findPeople                     administrator
  readPerson                     administrator
  readNames                      administrator
  readSystem                     administrator
  readOverview                   administrator
  listAudit                      administrator
  exportAudit                    administrator
  createPerson                   administrator, recent sign-in
  correctPerson                  recent sign-in
  setAdministrator               administrator, recent sign-in
  resendPersonInvitation         recent sign-in
  withdrawPersonInvitation       recent sign-in
  disablePerson                  recent sign-in
  enablePerson                   recent sign-in
  deletePerson                   recent sign-in
  endSessionsOfPerson            administrator, recent sign-in
  sendPasswordReset              administrator, recent sign-in

  readRecords                    permission user-records
  setAdditionalInfo              permission user-records
  readOtherSkills                permission skills
  addPluginBadge                 permission badges
  listCourseBadges               permission badges
  listObjectiveBadges            permission badges
  assertBadge                    permission badges
  listAssertions                 permission badges

  leaveClass                     the platform’s own pages

  requestFriend                  account
  acceptFriend                   account
  declineFriend                  account
  cancelFriendRequest            account
  removeFriend                   account
  blockUser                      account
  unblockUser                    account

  sendStatements                 scope statements/write
  putStatement                   scope statements/write
  getStatements                  scope statements/read or statements/read/mine
  countStatements                scope statements/read or statements/read/mine
  aggregateStatements            scope statements/read or statements/read/mine
  streamStatements               scope statements/read or statements/read/mine
  exportStatements               scope statements/read or statements/read/mine
  validateStatements             scope statements/write or statements/read or statements/read/mine
  getActivity                    scope statements/read or statements/read/mine or state or profile
  getAgent                       scope statements/read or profile
  putState                       scope state
  mergeState                     scope state
  readState                      scope state
  deleteState                    scope state
  putActivityProfile             scope profile
  mergeActivityProfile           scope profile
  readActivityProfile            scope profile
  deleteActivityProfile          scope profile
  putAgentProfile                scope profile
  mergeAgentProfile              scope profile
  readAgentProfile               scope profile
  deleteAgentProfile             scope profile
`

/** The operations that callers without a token, a cookie or a secret can reach. */
const OPEN = [
  'addFirstPasskey',
  'askPasswordReset',
  'askSignUp',
  'askToJoin',
  'createAnonymousUser',
  'fetchLaunchCredential',
  'getAbout',
  'introspectToken',
  'logOut',
  'postUserInfo',
  'readCalendarFile',
  'readHere',
  'readProviderMetadata',
  'readPublicKeys',
  'readServerMetadata',
  'requestStandardTokens',
  'requestTokens',
  'resetPassword',
  'revokeToken',
  'signIn',
  'signInAsDemo',
  'signInWithBasic',
  'signInWithPasskey',
  'signUp',
  'startDevice',
  'startFirstPasskey',
  'startPasskeySignIn',
  'validateSession',
]

const SHORT: Readonly<Record<string, string>> = {
  'a sign-in within the last 10 minutes': 'recent sign-in',
  'an account': 'account',
}

test('operations need what the table of sensitive operations says: a recent sign-in, an administrator, a permission', () => {
  const written = SENSITIVE.split('\n')
    .map((line) => line.trim().replace(/ {2,}/, ': '))
    .filter((line) => line !== '')
  const declared = operations
    .filter(({ needs = [] }) => needs.length > 0)
    .map(({ name, needs = [] }) => {
      const names = needs.map((need) => SHORT[need.name] ?? need.name)
      return `${name}: ${names.sort().join(', ')}`
    })
  assert.deepEqual(declared.sort(), written.sort())
})

test('callers without a token, a cookie or a secret reach the operations of the written list, and no others', () => {
  const open = operations.filter(({ who }) => ['anyone', 'visitor'].includes(who.name))
  assert.deepEqual(open.map(({ name }) => name).sort(), OPEN)
})
