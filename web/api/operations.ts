// Made by `npm run docs` from the description of the interface (docs/openapi.json). Do not edit it.
import { address, operation, stream, upload } from './call.ts'

export type Tokens = { access_token: string; refresh_token: string; expires_in: string; token_type: "Bearer" }

export type Success = { success: true }

export type ValidateTokenAnswer = { valid: true; userId: string; expiresDate: string }

export type ValidateSessionAnswer = { valid: true; userId: string; expiresDate: string }

export type LaunchAppAnswer = { uri: string }

export type ServerMetadata = { issuer: string; authorization_endpoint: string; token_endpoint: string; revocation_endpoint: string; introspection_endpoint: string; device_authorization_endpoint: string; userinfo_endpoint: string; jwks_uri: string; end_session_endpoint: string; backchannel_logout_supported: boolean; backchannel_logout_session_supported: boolean; scopes_supported: string[]; response_types_supported: string[]; response_modes_supported: string[]; grant_types_supported: string[]; token_endpoint_auth_methods_supported: string[]; revocation_endpoint_auth_methods_supported: string[]; introspection_endpoint_auth_methods_supported: string[]; code_challenge_methods_supported: string[]; token_endpoint_auth_signing_alg_values_supported: string[]; revocation_endpoint_auth_signing_alg_values_supported: string[]; introspection_endpoint_auth_signing_alg_values_supported: string[]; subject_types_supported: string[]; id_token_signing_alg_values_supported: string[]; claims_supported: string[]; prompt_values_supported: string[]; claims_parameter_supported: boolean; request_parameter_supported: boolean; request_uri_parameter_supported: boolean; authorization_response_iss_parameter_supported: boolean; service_documentation: string }

export type StandardTokens = { access_token: string; refresh_token?: string; token_type: "Bearer"; expires_in: number; scope: string; id_token?: string }

export type TokenFacts = { active: boolean; scope?: string; client_id?: string; username?: string; token_type?: "Bearer" | "refresh_token"; exp?: number; iat?: number; sub?: string; iss?: string }

export type DeviceCodes = { device_code: string; user_code: string; verification_uri: string; verification_uri_complete: string; expires_in: number; interval: number }

export type UserInfo = { sub: string; name?: string; given_name?: string; family_name?: string; preferred_username?: string; email?: string; email_verified?: boolean }

export type PublicKeys = { keys: PublicKey[] }

export type PublicKey = { kty: string; kid: string; alg: string; use: string; n?: string; e?: string; crv?: string; x?: string; y?: string }

export type FailedLogouts = ({ userId: string; createdDate: string; failedDate: string; attempts: number; status: number | null; problem: string })[]

export type Me = { handle: string; name: string }

export type SignedOut = { success: true; next?: string }

export type Here = { environment: "production" | "sandbox"; production: string; sandbox: string; person: { handle: string; name: string; isTest: boolean; areas: ("dashboard" | "organisations" | "console" | "planner" | "admin")[]; may: PersonPermissions } | null; signUp: boolean; demoPeople: DemoPerson[] }

export type PersonPermissions = { administer: boolean; createOrganisation: boolean; createCourse: boolean; lookAfterChildren: boolean }

export type DemoPerson = { handle: string; name: string; part: "student" | "instructor" | "developer" | "administrator" }

export type AccountApp = { clientId: string; name: string; owner: string | null; sinceDate: string; allowedDate: string | null; scopes: ("openid" | "profile" | "email" | "people:search" | "buckets" | "lessons" | "progress" | "notes" | "statements" | "offline_access")[]; sessions: AppSession[] }

export type AppSession = { sessionId: string; device: string; door: string; createdDate: string; lastUsedDate: string }

export type Browser = { browserId: string; device: string; address: string | null; createdDate: string; lastUsedDate: string; isCurrent: boolean }

export type Ended = { success: true; passkeys: Passkey[] }

export type Passkey = { passkeyId: string; name: string; createdDate: string; lastUsedDate: string | null }

export type Findings = Found[]

export type Found = { kind: "class" | "lesson" | "course" | "student" | "friend" | "plan" | "app" | "plugin" | "organisation" | "person"; id: string; within: string | null; name: string; about: string }

export type Invitations = Invitation[]

export type Invitation = { invitationId: string; organisation: { organisation: string; name: string }; class: { classId: string; name: string; course: string } | null; role: string; inviter: InvitationPerson; invited: InvitationPerson; isOwn: boolean; mayAnswer: boolean; plugins: ({ name: string; permissions: string[] })[]; sentDate: string; expiresDate: string }

export type InvitationPerson = { handle: string; name: string }

export type SentInvitationPage = { docs: SentInvitation[]; total: number; limit: number; page: number; pages: number }

export type SentInvitation = { invitationId: string; organisation: string; classId: string | null; handle: string; name: string; firstName: string; lastName: string; role: string; status: "pending" | "notAccepted"; sentDate: string; expiresDate: string }

export type Organisation = { organisation: string; name: string; role: string | null; courseAuthors: "owners" | "instructors"; timeZone: string; may: OrganisationPermissions }

export type OrganisationPermissions = { manage: boolean; leave: boolean; createCourses: boolean }

export type OrganisationOwnerPage = { docs: OrganisationOwner[]; total: number; limit: number; page: number; pages: number }

export type OrganisationOwner = { handle: string; firstName: string; lastName: string }

export type OrganisationPage = { docs: Organisation[]; total: number; limit: number; page: number; pages: number }

export type OrganisationMemberPage = { docs: OrganisationPerson[]; total: number; limit: number; page: number; pages: number }

export type OrganisationPerson = { handle: string | null; firstName: string; lastName: string; role: string; email: string | null; status: "active" | "invited" | "expired" | "uninvited" | "disabled"; invitationId: string | null; invitationExpiresDate: string | null; managed: boolean }

export type OrganisationMember = { handle: string; firstName: string; lastName: string; role: string }

export type PeopleReport = { written: boolean; counts: { invited: number; updated: number; unchanged: number; refused: number }; rows: ({ row: number; name: string; role: string; result: "invited" | "updated" | "unchanged" | "refused"; reason: string | null })[] }

export type OrganisationSignUp = { organisation: string; domains: string[]; code: string | null; url: string; canSend: boolean }

export type Provider = { organisation: string; issuer: string | null; clientId: string | null; mode: "off" | "allowed" | "enforced"; createsAccounts: boolean; groupsClaim: string | null; groupRoles: GroupRoleOf[]; testedDate: string | null; breakGlass: string[]; domains: ProviderDomain[]; redirectUri: string; logoutUri: string; signInUrl: string; people: number }

export type GroupRoleOf = { group: string; role: "owner" | "developer" | "instructor" }

export type ProviderDomain = { domain: string; record: string; value: string; provenDate: string | null }

export type GroupRole = { group: string; role: "owner" | "developer" | "instructor" }

export type ProviderFailurePage = { docs: ProviderFailure[]; total: number; limit: number; page: number; pages: number }

export type ProviderFailure = { date: string; reference: string; problem: string; claim: string | null; found: string | null; expected: string | null }

export type Connection = { organisation: string; name: string; issuer: string; mode: "off" | "allowed" | "enforced"; linkedDate: string | null; lastUsedDate: string | null; isRequired: boolean }

export type OwnProfile = { userId: string; handle: string; firstName: string; lastName: string; userType: "child" | "teen-minor" | "adult"; accountType: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country: string; profilePic: string; coverPhoto: string; anonymous: boolean; parentFlags?: { cameraDisabled: boolean; proximityFriends: boolean }; militaryGrade?: string; displayRank?: string; displayDutyTitle?: string; civilianGrade?: string; civilianBand?: string; jobSeriesNumber?: string; jobTitle?: string; position: string; role: "administrator" | "developer" | "user"; organizationRoles: Record<string, string>; email: string; gender: string; trainer: boolean; trainee: boolean }

export type Bucket = { id: string; users: string[]; public: boolean; data: unknown; createdDate: string; version: number }

export type BucketChange = { id: string; version: number; kind: "set" | "users"; key?: string; userId: string; changedDate: string; value?: unknown; users?: string[] }

export type NewApp = { clientId: string; name: string; organisation: string | null; organisationName: string | null; owner: string | null; status: "pending" | "approved" | "suspended"; statusReason: string | null; public: boolean; redirectUris: string[]; launchUri: string | null; origins: string[]; postLogoutRedirectUris: string[]; backchannelLogoutUri: string | null; backchannelLogoutSessionRequired: boolean; scopes: ("openid" | "profile" | "email" | "people:search" | "buckets" | "lessons" | "progress" | "notes" | "statements" | "offline_access")[]; secrets: ({ createdDate: string; lastUsedDate: string | null })[]; users: number; storageUsed: number; storageLimit: number; recordsUsed: number; createdDate: string; tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none"; publicKeys: AppPublicKey[]; idTokenAlgorithm: "RS256" | "ES256" | "EdDSA"; may: AppPermissions; clientSecret: string | null }

export type AppPublicKey = { kty: string; kid?: string; alg?: string; n?: string; e?: string; crv?: string; x?: string; y?: string }

export type AppPermissions = { decide: boolean }

export type App = { clientId: string; name: string; organisation: string | null; organisationName: string | null; owner: string | null; status: "pending" | "approved" | "suspended"; statusReason: string | null; public: boolean; redirectUris: string[]; launchUri: string | null; origins: string[]; postLogoutRedirectUris: string[]; backchannelLogoutUri: string | null; backchannelLogoutSessionRequired: boolean; scopes: ("openid" | "profile" | "email" | "people:search" | "buckets" | "lessons" | "progress" | "notes" | "statements" | "offline_access")[]; secrets: ({ createdDate: string; lastUsedDate: string | null })[]; users: number; storageUsed: number; storageLimit: number; recordsUsed: number; createdDate: string; tokenEndpointAuthMethod: "client_secret" | "private_key_jwt" | "none"; publicKeys: AppPublicKey[]; idTokenAlgorithm: "RS256" | "ES256" | "EdDSA"; may: AppPermissions }

export type AppPage = { docs: App[]; total: number; limit: number; page: number; pages: number }

export type UsersOfApp = { docs: UserOfApp[]; total: number; limit: number; page: number; pages: number }

export type UserOfApp = { userId: string; anonymous: boolean; sinceDate: string; lastSeenDate: string | null }

export type NewAppSecret = { clientSecret: string }

export type ChangedAppPage = { docs: ChangedApp[]; total: number; limit: number; page: number; pages: number }

export type ChangedApp = { clientId: string; name: string; organisationName: string | null; owner: string | null; changedDate: string; changes: ({ date: string; by: string | null; field: "name" | "redirectUris" | "launchUri" | "origins" | "postLogoutRedirectUris" | "backchannelLogoutUri"; before: string[]; after: string[] })[] }

export type RequestPage = { docs: LoggedRequest[]; next: string | null; days: number }

export type LoggedRequest = { date: string; operation: string; status: number; code: number | null; ms: number; requestId: string }

export type TestPeople = { docs: TestPerson[] }

export type TestPerson = { handle: string; name: string; createdDate: string; apps: number }

export type StartPasskeyAnswer = { rp: { id: string; name: string }; user: { id: string; name: string; displayName: string }; challenge: string; pubKeyCredParams: ({ type: string; alg: number })[]; timeout: number; excludeCredentials: ({ type: string; id: string; transports: string[] })[]; authenticatorSelection: { residentKey: string; requireResidentKey: boolean; userVerification: string }; attestation: string }

export type StartPasskeyProofAnswer = { challenge: string; timeout: number; rpId: string; userVerification: string }

export type UserEntry = { userId: string; handle: string; firstName: string; lastName: string; userType: "child" | "teen-minor" | "adult"; accountType: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country: string; profilePic: string; coverPhoto: string; anonymous: boolean; parentFlags?: { cameraDisabled: boolean; proximityFriends: boolean }; militaryGrade?: string; displayRank?: string; displayDutyTitle?: string; civilianGrade?: string; civilianBand?: string; jobSeriesNumber?: string; jobTitle?: string }

export type Settings = { handle: string; firstName: string; lastName: string; userType: "child" | "teen-minor" | "adult"; accountType: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country: string; gender: string; position: string; email: string; dateOfBirth: string; publicSearch: boolean; hasPassword: boolean; hasParent: boolean; hasPicture: boolean; hasCover: boolean; storage: PersonStorage; may: SettingsPermissions }

export type PersonStorage = { usedBytes: number; limitBytes: number | null }

export type SettingsPermissions = { changeNames: boolean; changePublicSearch: boolean; changeEmail: boolean; decideFriends: boolean; lookAfterChildren: boolean }

export type FoundUsers = { docs: UserEntry[]; page: number; total: number }

export type Child = { handle: string; firstName: string; lastName: string; dateOfBirth: string; userType: "child" | "teen-minor" | "adult"; country: string; email: string; publicSearch: boolean; parentFlags: { cameraDisabled: boolean; proximityFriends: boolean }; friendRequests: number }

export type Friends = { friends: Friend[]; received: Friend[]; sent: Friend[]; blocked: Friend[] }

export type Friend = { handle: string; firstName: string; lastName: string }

export type FriendRequests = { received: FriendRequest[]; sent: SentRequest[] }

export type FriendRequest = { userId: string; handle: string; firstName: string; lastName: string; userType: "child" | "teen-minor" | "adult"; accountType: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country: string; profilePic: string; coverPhoto: string; anonymous: boolean; parentFlags?: { cameraDisabled: boolean; proximityFriends: boolean }; militaryGrade?: string; displayRank?: string; displayDutyTitle?: string; civilianGrade?: string; civilianBand?: string; jobSeriesNumber?: string; jobTitle?: string; requestedDate: string }

export type SentRequest = { userId: string; handle: string; firstName?: string; lastName?: string; userType?: "child" | "teen-minor" | "adult"; accountType?: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country?: string; profilePic?: string; coverPhoto?: string; anonymous?: boolean; parentFlags?: { cameraDisabled: boolean; proximityFriends: boolean }; militaryGrade?: string; displayRank?: string; displayDutyTitle?: string; civilianGrade?: string; civilianBand?: string; jobSeriesNumber?: string; jobTitle?: string; requestedDate: string }

export type RememberedUser = { userId: string; handle: string; firstName?: string; lastName?: string; userType?: "child" | "teen-minor" | "adult"; accountType?: "Parent" | "Kid" | "Adult" | "Character" | "Community"; country?: string; profilePic?: string; coverPhoto?: string; anonymous?: boolean; parentFlags?: { cameraDisabled: boolean; proximityFriends: boolean }; militaryGrade?: string; displayRank?: string; displayDutyTitle?: string; civilianGrade?: string; civilianBand?: string; jobSeriesNumber?: string; jobTitle?: string }

export type Skills = { hobbies: string[]; skills: string[]; afsc: string; education: string[] }

export type NotificationPage = { docs: Notification[]; next: string | null; unread: number }

export type Notification = { notificationId: string; kind: "invited" | "assigned" | "unlocked" | "due-soon" | "overdue" | "graded" | "note" | "request" | "delivery-failing" | "announcement"; title: string; text: string; link: string; createdDate: string; readDate: string | null }

export type UnreadNotifications = { unread: number }

export type NotificationSettings = { kinds: ({ kind: "invited" | "assigned" | "unlocked" | "due-soon" | "overdue" | "graded" | "note" | "request" | "delivery-failing" | "announcement"; app: boolean; email: "now" | "digest" | "off"; about: string; isFixed: boolean })[]; timeZone: string; emailAddress: string | null }

export type Lesson = { lessonId: string; courseId: string; name: string; description: string; profilePic: string; coverPhoto: string; media: string; isAssessment?: boolean; expectedCompletionTime: number; instructorGraded: boolean; public: boolean; launchParameters: string[]; locked: boolean; childLessons: ({ lessonId: string; courseId: string; name: string; description: string; profilePic: string; coverPhoto: string; media: string; isAssessment?: boolean; expectedCompletionTime: number; instructorGraded: boolean; public: boolean; launchParameters: string[]; locked: boolean; childLessons: (Record<string, unknown>)[] })[] }

export type LessonDetails = { lessonId: string; courseId: string; organisation: string; name: string; description: string; kind: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; threshold: number | null; text?: string; file?: string; captions?: string; files?: LinkedFile[]; rubric?: ({ id: string; name: string; description?: string; objective?: string; points?: number })[]; quiz?: { shuffleQuestions?: boolean; shuffleAnswers?: boolean; timeLimit?: number; feedback?: "answer" | "end" | "never" }; package?: string; item?: number }

export type LinkedFile = { fileId: string; name: string; mediaType: string; bytes: number; url: string }

export type LessonPage = { docs: Lesson[]; total: number; limit: number; page: number; pages: number }

export type Lessons = Lesson[]

export type Course = { courseId: string; name: string; description: string; profilePic: string; coverPhoto: string; public: boolean; organisation: string; version: number }

export type CoursePage = { docs: Course[]; total: number; limit: number; page: number; pages: number }

export type Objectives = ({ objectiveId: string; courseId: string; name: string; description: string; lessonIds: string[]; lessonScores: ({ lessonId: string; score: number | null })[] })[]

export type CourseDocument = { courseId: string; organisation: string; version: number | null; draft: boolean; may: CoursePermissions; name: string; description?: string; profilePic?: string; coverPhoto?: string; public?: boolean; lessons: ({ id: string; name: string; description?: string; profilePic?: string; coverPhoto?: string; media?: string; isAssessment?: boolean; kind?: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; text?: string; file?: string; captions?: string; rubric?: ({ id: string; name: string; description?: string; objective?: string; points?: number })[]; quiz?: { parts: ({ questions?: string[]; tag?: string; draw?: number })[]; shuffleQuestions?: boolean; shuffleAnswers?: boolean; timeLimit?: number; feedback?: "answer" | "end" | "never" }; package?: string; item?: number; expectedCompletionTime?: number; instructorGraded?: boolean; public?: boolean; app?: string; launchUri?: string; launchParameters?: string[]; passCode?: boolean; threshold?: number; maxAttempts?: number; prerequisites?: string[]; childLessons?: ({ id: string; name: string; description?: string; profilePic?: string; coverPhoto?: string; media?: string; isAssessment?: boolean; kind?: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; text?: string; file?: string; captions?: string; rubric?: ({ id: string; name: string; description?: string; objective?: string; points?: number })[]; quiz?: { parts: ({ questions?: string[]; tag?: string; draw?: number })[]; shuffleQuestions?: boolean; shuffleAnswers?: boolean; timeLimit?: number; feedback?: "answer" | "end" | "never" }; package?: string; item?: number; expectedCompletionTime?: number; instructorGraded?: boolean; public?: boolean; app?: string; launchUri?: string; launchParameters?: string[]; passCode?: boolean; threshold?: number; maxAttempts?: number; prerequisites?: string[] })[] })[]; objectives?: ({ id: string; name: string; description?: string; lessons: string[] })[] }

export type CoursePermissions = { createClasses: boolean }

export type LessonAppPage = { docs: LessonApp[]; total: number; limit: number; page: number; pages: number }

export type LessonApp = { app: string; name: string; owner: string | null; publicClient: boolean; status: "pending" | "approved" | "suspended" }

export type LessonAppDetails = { app: string; name: string; owner: string | null; publicClient: boolean; status: "pending" | "approved" | "suspended"; redirectUris: string[] }

export type LaunchTest = { checks: LaunchCheck[] }

export type LaunchCheck = { check: "app" | "launchUri" | "launchParameters" | "passCode" | "consent" | "response"; result: "ok" | "note" | "problem"; message: string; advice: string }

export type DraftLaunch = { uri: string }

export type CourseVersion = { courseId: string; version: number; name: string; publishedDate: string; classes: number }

export type CourseVersionPage = { docs: CourseVersion[]; total: number; limit: number; page: number; pages: number }

export type ManagedCoursePage = { docs: ManagedCourse[]; total: number; limit: number; page: number; pages: number }

export type ManagedCourse = { courseId: string; organisation: string; version: number | null; name: string; draft: boolean; classes: number }

export type ClassPage = { docs: Class[]; total: number; limit: number; page: number; pages: number }

export type Class = { classId: string; groupId: string; name: string; sequential: boolean; ended: boolean; course: Course; joinCode: string; studentId: string; role: "student" | "instructor" | "observer" }

export type ClassDetails = { classId: string; groupId: string; name: string; sequential: boolean; ended: boolean; course: Course; joinCode: string | null; createdDate: string; studentId: string | null; role: "student" | "instructor" | "observer" | "manager"; may: ClassPermissions; staff?: ClassStaff[]; students?: { active: number; suspended: number; dropped: number }; hasPackages?: boolean }

export type ClassPermissions = { manage: boolean; changeRoster: boolean; setLocks: boolean; grade: boolean; launch: boolean; evaluate: boolean; keepNotes: boolean; announce: boolean; leave: boolean; writeOwnNotes: boolean }

export type ClassStaff = { handle: string; firstName: string; lastName: string; role: "instructor" | "observer" }

export type ManagedClassPage = { docs: ManagedClass[]; total: number; limit: number; page: number; pages: number }

export type ManagedClass = { classId: string; groupId: string; name: string; sequential: boolean; ended: boolean; course: Course; joinCode: string | null; createdDate: string }

export type Students = { docs: Student[]; total: number; limit: number; page: number; pages: number }

export type Student = { studentId: string; classId: string; handle: string; name: string; status: "active" | "suspended" | "dropped"; enrolledDate: string; userId: string | null }

export type TransferTarget = { classId: string; name: string }

export type Joined = { classId: string; name: string; studentId: string; status: "active" | "suspended" | "dropped" }

export type RosterReport = { written: boolean; counts: { added: number; dropped: number; suspended: number; reinstated: number; invited: number; unchanged: number; refused: number }; rows: ({ row: number; handle: string; action: string; studentId: string | null; result: "added" | "dropped" | "suspended" | "reinstated" | "invited" | "unchanged" | "refused"; reason: string | null })[] }

export type LocksByHand = LessonLock[]

export type LessonLock = { classId: string; lessonId: string; studentId: string | null; locked: boolean }

export type LessonProgress = { studentId: string; lessonId: string; lessonResultId: string; pass: boolean; score: number | null; answers: unknown[] | null; started: string; completed: string | null; progressIntervals: ({ start: string; end: string | null })[]; idleIntervals: ({ start: string; end: string | null })[] }

export type LessonProgressHistory = ReportedProgress[] | LessonProgressPage

export type ReportedProgress = { studentId: string; lessonId: string; lessonResultId: string; pass: boolean; score: number | null; answers: unknown[] | null; started: string; completed: string | null; progressIntervals: ({ start: string; end: string | null })[]; idleIntervals: ({ start: string; end: string | null })[]; due: string | null; late: boolean; reported: { via: "app" | "page" | "import" | "instructor" | null; app: string | null; byId: string | null; byName: string | null; at: string | null; afterTheFact: boolean; beforeEnrolment: boolean } }

export type LessonProgressPage = { docs: ReportedProgress[]; total: number; limit: number; page: number; pages: number }

export type LessonLocks = ({ lessonId: string; name: string; locked: boolean; childLessons: ({ lessonId: string; name: string; locked: boolean; childLessons: ({ lessonId: string; name: string; locked: boolean })[] })[] })[]

export type LockReason = { lessonId: string; studentId: string; locked: boolean; reason: string | null; missing: string[] }

export type ObjectiveScore = { objectiveId: string; lessonId: string; studentId: string; score: number }

export type LaunchAddress = { uri: string }

export type AttemptsLeft = { studentId: string; lessonId: string; attempts: number; extraAttempts: number; attemptsLeft: number }

export type GradeChanges = ({ change: string; lessonResultId: string | null; before: unknown; after: unknown; reason: string; byId: string | null; byName: string | null; changed: string })[]

export type AwaitingPage = { docs: ({ classId: string; className: string; studentId: string; handle: string; name: string; lessonId: string; lessonName: string; kind: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; lessonResultId: string; completed: string; due: string | null; late: boolean })[]; total: number; limit: number; page: number; pages: number }

export type ClassDates = { classId: string; timeZone: string; dates: ({ lessonId: string | null; studentId: string | null; name: string | null; opens: string | null; due: string | null; closes: string | null })[] }

export type RecordedEvaluations = { evaluations: ({ evaluationId: string; studentId: string; evaluation: Evaluation | null; code: number | null; error: string | null })[] }

export type Evaluation = { evaluationId: string; version: number; classId: string; studentId: string; handle: string; name: string; lessonId: string; lessonName: string; lessonResultId: string; criteria: ({ id: string; name: string; objective: string | null; maxPoints: number; points: number | null })[]; score: number | null; pass: boolean; remarks: string; startTime: string; endTime: string; recordedBy: string | null; recorded: string; changed: string; acknowledged: string | null; comment: string; counts: boolean }

export type EvaluationPage = { docs: Evaluation[]; total: number; limit: number; page: number; pages: number }

export type Notes = Note[]

export type Note = { noteId: string; text: string; lessonId: string | null; userId: string | null; classId: string | null; studentId: string | null; courseId: string | null; authorId: string | null; authorName: string | null; createdDate: string }

export type NotePage = { docs: Note[]; total: number; limit: number; page: number; pages: number }

export type Announcement = { announcementId: string; organisation: string; organisationName: string; classId: string | null; className: string | null; title: string; text: string; authorName: string | null; createdDate: string; mayDelete: boolean }

export type AnnouncementPage = { docs: Announcement[]; total: number; limit: number; page: number; pages: number; recipients: number | null }

export type Agenda = { next: NextLesson[]; overdue: AgendaEntry[]; overdueTotal: number; upcoming: AgendaEntry[]; upcomingTotal: number; waiting: WaitingLesson[]; finished: FinishedClass[]; teaching: TaughtClass[] }

export type NextLesson = { classId: string; className: string; lessonId: string; lessonName: string; kind: string; inProgress: boolean; passed: number; total: number; due: string | null; closes: string | null }

export type AgendaEntry = { classId: string; className: string; lessonId: string | null; lessonName: string | null; kind: string | null; locked: boolean; event: "opening" | "due" | "closing"; at: string; remaining: number }

export type WaitingLesson = { classId: string; className: string; lessonId: string; lessonName: string; completed: string }

export type FinishedClass = { classId: string; className: string; total: number }

export type TaughtClass = { classId: string; className: string; toGrade: number; overdue: number }

export type Calendar = { entries: CalendarEntry[]; isComplete: boolean; classes: ({ classId: string; className: string })[] }

export type CalendarEntry = { classId: string; className: string; lessonId: string | null; lessonName: string | null; kind: string | null; locked: boolean; event: "opening" | "due" | "closing"; at: string; role: "student" | "instructor" | "observer"; state: "open" | "done" | "late" | "overdue" | null }

export type CalendarFeed = { created: string | null; lastRead: string | null }

export type NewCalendarFeed = { url: string }

export type StoredFile = { fileId: string; organisation: string; name: string; mediaType: string; bytes: number; url: string; author: string | null; createdDate: string; may: { delete: boolean } }

export type FilePage = { docs: StoredFile[]; total: number; limit: number; page: number; pages: number }

export type FileUsage = { organisation: string; usedBytes: number; limitBytes: number; largestFileBytes: number }

export type OrganisationStoragePage = { docs: OrganisationStorage[]; total: number; limit: number; page: number; pages: number }

export type OrganisationStorage = { organisation: string; name: string; usedBytes: number; limitBytes: number; ownLimit: boolean; files: number; packages: number }

export type PackageDetails = { packageId: string; organisation: string; kind: "cmi5" | "scorm12" | "scorm2004"; title: string; name: string; bytes: number; storedBytes: number; files: number; units: number; blocks: number; author: string | null; createdDate: string; courses: ({ courseId: string; name: string })[]; courseCount: number; may: { delete: boolean }; url: string; edition?: "1.2" | "2004 2nd Edition" | "2004 3rd Edition" | "2004 4th Edition"; notes: ({ pointer: string; message: string })[]; course: { id: string; title: Record<string, string>; description: Record<string, string>; objectives: ({ id: string; title: Record<string, string>; description: Record<string, string> })[] } }

export type PackageUpload = { uploadId: string; organisation: string; name: string; bytes: number; receivedBytes: number; expiresDate: string; packageId: string | null }

export type ContentPackagePage = { docs: ContentPackage[]; total: number; limit: number; page: number; pages: number }

export type ContentPackage = { packageId: string; organisation: string; kind: "cmi5" | "scorm12" | "scorm2004"; title: string; name: string; bytes: number; storedBytes: number; files: number; units: number; blocks: number; author: string | null; createdDate: string; courses: ({ courseId: string; name: string })[]; courseCount: number; may: { delete: boolean } }

export type PackageItemPage = { docs: PackageItem[]; total: number; limit: number; page: number; pages: number }

export type PackageItem = { position: number; parent: number | null; kind: "unit" | "block"; id: string; title: Record<string, string>; description: Record<string, string>; objectives: string[]; requires: string[]; collateralCredit: string[]; url?: string; launchMethod?: "AnyWindow" | "OwnWindow"; moveOn?: "NotApplicable" | "Passed" | "Completed" | "CompletedAndPassed" | "CompletedOrPassed"; masteryScore?: number; launchParameters?: string; entitlementKey?: string; activityType?: string; scormType?: "sco" | "asset"; isVisible?: boolean; prerequisites?: string; masteryscore?: number; maxtimeallowed?: string }

export type QuestionPage = { docs: ListedQuestion[]; total: number; limit: number; page: number; pages: number }

export type ListedQuestion = { questionId: string; organisation: string; revision: number; archived: boolean; changedDate: string; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; summary: string; tags: string[] }

export type QuestionTags = ({ tag: string; questions: number })[]

export type Question = { questionId: string; organisation: string; revision: number; archived: boolean; changedDate: string; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; text: string; points?: number; explanation?: string; tags?: string[]; options?: ({ text: string; correct?: boolean; feedback?: string })[]; items?: string[]; pairs?: ({ prompt: string; match: string })[]; distractors?: string[]; answer?: number; tolerance?: number; unit?: string; accepted?: string[]; caseSensitive?: boolean; guidance?: string }

export type QuizAttempt = { lessonResultId: string; lessonId: string; classId: string; studentId: string; started: string; deadline: string | null; now: string; submitted: string | null; feedback: "answer" | "end" | "never"; pass: boolean; score: number | null; awaitsGrade: boolean; answered: number; total: number; questions: QuizQuestion[] }

export type QuizQuestion = { questionId: string; number: number; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; text: string; maxPoints: number; options?: ({ id: string; text: string })[]; items?: ({ id: string; text: string })[]; prompts?: ({ id: string; text: string })[]; choices?: ({ id: string; text: string })[]; unit?: string; maxLength?: number; response: unknown; saved: string | null; final: boolean; feedback?: { correct: boolean | null; points: number | null; correctResponse: unknown; tolerance?: number; accepted?: string[]; explanation?: string; remarks?: string[] }; graded?: { points: number; remark: string; date: string }; guidance?: string }

export type QuizResultsPage = { docs: ({ questionId: string; revision: number; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; text: string; maxPoints: number; shown: number; answered: number; correct: number; meanPoints: number | null; toGrade: number; responses: ({ text: string; correct: boolean | null; count: number })[] })[]; total: number; limit: number; page: number; pages: number }

export type Captured = { success: boolean; statementId: string }

export type Verbs = Verb[]

export type Verb = { verbId: string; name: string; standard: boolean }

export type Results = { classId: string; studentId: string; lessons: ({ lessonId: string; parentId: string | null; name: string; kind: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; result: "PASS" | "FAIL" | "INCOMPLETE" | "IN PROGRESS" | "NOT STARTED"; score: number | null; attempts: number; timeOnTask: number; explanation: string; attemptsLeft: number | null; awaitsGrade: boolean; bestScore: number | null; passed: boolean; lessonResultId: string | null; started: string | null; completed: string | null; opens: string | null; due: string | null; closes: string | null; late: boolean; overdue: boolean; locked: boolean; lockReason: string | null; lockedBy: "hand" | "opening" | "lessons" | "closing" | null; statements: number })[]; objectives: ({ objectiveId: string; name: string; score: number | null; lessons: ({ lessonId: string; score: number | null; reported: boolean })[]; lessonScores: ({ lessonId: string; score: number | null })[] })[] }

export type Timeline = { docs: ({ at: string; kind: string; lessonId: string | null; lessonResultId: string | null; byId: string | null; byName: string | null; data: unknown })[]; next: string | null }

export type Gradebook = { classId: string; lessons: ({ lessonId: string; parentId: string | null; name: string; kind: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; due: string | null })[]; docs: ({ studentId: string; handle: string; name: string; status: string; started: number[]; results: ("PASS" | "FAIL" | "INCOMPLETE" | "IN PROGRESS" | "NOT STARTED")[]; scores: (number | null)[]; attempts: number[]; timeOnTask: number[]; waiting: number[]; late: number[]; overdue: number[]; passed: number; meanScore: number | null })[]; total: number; limit: number; page: number; pages: number }

export type GradebookAverages = { classId: string; students: number; lessons: ({ lessonId: string; name: string; started: number; passed: number; waiting: number; meanScore: number | null })[] }

export type StoreIdentity = { kind: "key" | "user" | "content" | "administrator"; key: string | null; scopes: ("statements/write" | "statements/read/mine" | "statements/read" | "state" | "define" | "profile" | "all")[]; authority: Record<string, unknown>; usesLibrary: boolean }

export type NewCredential = { key: string; name: string; status: "active" | "suspended" | "expired" | "revoked"; scopes: ("statements/write" | "statements/read/mine" | "statements/read" | "state" | "define" | "profile" | "all")[]; authority: Record<string, unknown>; usesLibrary: boolean; createdBy: string | null; createdDate: string; expiresDate: string | null; suspendedDate: string | null; revokedDate: string | null; secrets: ({ createdDate: string; lastUsedDate: string | null })[]; secret: string }

export type CredentialPage = { docs: Credential[]; total: number; limit: number; page: number; pages: number }

export type Credential = { key: string; name: string; status: "active" | "suspended" | "expired" | "revoked"; scopes: ("statements/write" | "statements/read/mine" | "statements/read" | "state" | "define" | "profile" | "all")[]; authority: Record<string, unknown>; usesLibrary: boolean; createdBy: string | null; createdDate: string; expiresDate: string | null; suspendedDate: string | null; revokedDate: string | null; secrets: ({ createdDate: string; lastUsedDate: string | null })[] }

export type NewStoreSecret = { key: string; secret: string }

export type PackageLaunch = { url: string; launchMethod: "AnyWindow" | "OwnWindow"; mode: "Normal" | "Browse" | "Review"; sessionId: string; registration: string }

export type PackageLesson = { lessonId: string; packageId: string; item: number; kind: "unit" | "block"; launchMethod: "AnyWindow" | "OwnWindow" | null; moveOn: string | null; masteryScore: number | null; completed: boolean; passed: boolean; failed: boolean; waived: boolean; waiveReason: string | null; satisfied: boolean; progress: number | null; score: number | null; requires: ({ lessonId: string | null; title: string })[]; sessions: ({ sessionId: string; mode: "Normal" | "Browse" | "Review"; startedDate: string; lastDate: string; endedDate: string | null; endedBy: "terminated" | "abandoned" | null; seconds: number | null })[] }

export type PackageSessionPage = { docs: PackageSession[]; total: number; limit: number; page: number; pages: number }

export type PackageSession = { sessionId: string; mode: "Normal" | "Browse" | "Review"; startedDate: string; lastDate: string; endedDate: string | null; endedBy: "terminated" | "abandoned" | null; seconds: number | null; studentId: string; handle: string; name: string; lessonId: string | null; lessonName: string | null; completed: boolean; passed: boolean; failed: boolean; waived: boolean; waiveReason: string | null; satisfied: boolean; progress: number | null; score: number | null }

export type ScormSession = { standard: "scorm12" | "scorm2004"; title: string; mode: "normal" | "browse" | "review"; credit: "credit" | "no-credit"; learner: { id: string; name: string }; item: number; items: ({ position: number; parent: number | null; kind: "unit" | "block"; item: Record<string, unknown> })[]; sequencing: Record<string, unknown> | null; states: Record<string, { cmi: Record<string, unknown>; entry: "resume" | "ab-initio" | ""; satisfied: boolean }>; shared: Record<string, unknown> | null; returnUrl: string }

export type SavedScorm = { savedDate: string }

export type StatementCount = { count: number; through: string }

export type StatementGroups = { groups: StatementGroup[]; more: boolean; through: string }

export type StatementGroup = { verb?: { id: string; display?: Record<string, string> }; activity?: { id: string; name?: Record<string, string> }; agent?: { objectType?: string; name?: string; mbox?: string; mbox_sha1sum?: string; openid?: string; account?: { homePage: string; name: string } }; day?: string; count: number; score: { count: number; mean: number; min: number; max: number } | null; duration: { count: number; mean: number; min: number; max: number; sum: number } | null; passed: number; failed: number; latest: string }

export type StatementValidation = { valid: boolean; statements: number; faults: ({ position: number; pointer: string; rule: string; must: string })[]; conflicts: ({ position: number; id: string })[]; known: ({ position: number; id: string })[]; more: boolean }

export type RemovedStatements = { statements: number; attachments: number; months: number; done: boolean }

export type NewPlugin = { clientId: string; kind: "ai" | "ato"; name: string; description: string; organisation: string | null; organisationName: string | null; owner: string | null; status: string; active: boolean; addresses: ({ purpose: "capabilities" | "candidates" | "request" | "distributions"; uri: string; failingSince: string | null; offDate: string | null; offReason: string | null })[]; redirectUris: string[]; permissions: ({ permission: "user-records" | "badges" | "skills" | "mission-planner" | "ato"; askedDate: string; grantedDate: string | null })[]; organisations: string[]; secrets: ({ createdDate: string; lastUsedDate: string | null })[]; createdDate: string; clientSecret: string }

export type Plugin = { clientId: string; kind: "ai" | "ato"; name: string; description: string; organisation: string | null; organisationName: string | null; owner: string | null; status: string; active: boolean; addresses: ({ purpose: "capabilities" | "candidates" | "request" | "distributions"; uri: string; failingSince: string | null; offDate: string | null; offReason: string | null })[]; redirectUris: string[]; permissions: ({ permission: "user-records" | "badges" | "skills" | "mission-planner" | "ato"; askedDate: string; grantedDate: string | null })[]; organisations: string[]; secrets: ({ createdDate: string; lastUsedDate: string | null })[]; createdDate: string }

export type PluginPage = { docs: Plugin[]; total: number; limit: number; page: number; pages: number }

export type NewPluginSecret = { clientSecret: string }

export type AtoPackage = { packageId: string; clientId: string; name: string; companyPhone: string | null; createdDate: string; distributions: AtoDistribution[] }

export type AtoDistribution = { id: string; name: string; platform: string | null; version: string | null; uri: string; addedDate: string }

export type AtoPackagePage = { docs: AtoPackageEntry[]; total: number; limit: number; page: number; pages: number }

export type AtoPackageEntry = { packageId: string; clientId: string; name: string; companyPhone: string | null; createdDate: string }

export type AtoRequest = { requestId: string; packageId: string; packageName: string; clientId: string; appName: string; pluginClientId: string; pluginName: string; pluginRemoved: boolean; startedBy: string | null; status: "not-started" | "in-progress" | "action-required" | "under-review" | "completed"; cancellable: boolean; startedDate: string; changedDate: string; completedDate: string | null; cancelledDate: string | null; timeline: AtoEntry[] }

export type AtoEntry = { kind: string; date: string; by: string | null; status: string | null; alert: { title: string; text: string; providerId: string | null; status: string | null; type: "info" | "success" | "warning" | "error" } | null; distribution: AtoDistribution | null }

export type AtoRequestPage = { docs: AtoRequestEntry[]; total: number; limit: number; page: number; pages: number }

export type AtoRequestEntry = { requestId: string; packageId: string; packageName: string; clientId: string; appName: string; pluginClientId: string; pluginName: string; pluginRemoved: boolean; startedBy: string | null; status: "not-started" | "in-progress" | "action-required" | "under-review" | "completed"; cancellable: boolean; startedDate: string; changedDate: string; completedDate: string | null; cancelledDate: string | null }

export type AtoRequestOpened = { uri: string }

export type AtoPluginPage = { docs: AtoPlugin[]; total: number; limit: number; page: number; pages: number }

export type AtoPlugin = { pluginClientId: string; name: string; description: string }

export type LearningRecords = LearningRecord[]

export type LearningRecord = { userId: string; dutyTitle: string; afsc: string; education: string[]; courses: ({ courseId: string; name: string; organisation: string; lessons: number; lessonsPassed: number; completed: boolean; completedDate: string | null; score: number | null })[]; badges: ({ badgeId: string; name: string; issuedOn: string; assertedBy: string | null })[]; skills: string[] }

export type AdditionalInfo = { userId: string; info: unknown; updatedDate: string }

export type OtherSkills = { userId: string; hobbies: string[]; skills: string[] }

export type Badge = { badgeId: string; name: string; type: string; image: string; issuerName: string; description: string; criteria: string; courseId: string; objectiveId: string | null; organisation: string; createdDate: string; updatedDate: string }

export type Badges = Badge[]

export type BadgePage = { docs: Badge[]; total: number; limit: number; page: number; pages: number }

export type BadgeAssertion = { assertionId: string; userId: string; badgeId: string; name: string; type: string; image: string; issuerName: string; issuedOn: string; lessonId: string | null; classId: string | null; versionId: string | null; organisation: string | null; assertedBy: string | null }

export type BadgeAssertions = BadgeAssertion[]

export type BadgeAssertionPage = { docs: BadgeAssertion[]; total: number; limit: number; page: number; pages: number }

export type HeldBadgePage = { docs: HeldBadge[]; total: number; limit: number; page: number; pages: number }

export type HeldBadge = { badgeId: string; name: string; type: string; image: string; issuerName: string; issuedOn: string; lessonId: string | null; classId: string | null; versionId: string | null; organisation: string | null; assertedBy: string | null }

export type PlannerEngines = PlannerEngine[]

export type PlannerEngine = { clientId: string; name: string; description: string; organisations: string[] }

export type PlannerSearch = { searchId: string; text: string; organisations: string[]; createdDate: string; engines: EngineCapabilities[]; candidates: Candidates | null }

export type EngineCapabilities = { clientId: string; name: string; status: string; problem: string | null; capabilities: ({ capabilityId: string; name: string; description: string })[] }

export type Candidates = { searchId: string; capabilityIds: string[]; limit: number; searchedDate: string; engines: EngineCandidates[]; candidates: Candidate[] }

export type EngineCandidates = { clientId: string; name: string; status: string; problem: string | null; leftOut: number }

export type Candidate = { handle: string; firstName: string; lastName: string; score: number; sources: CandidateSource[] }

export type CandidateSource = { clientId: string; name: string; score: number; reasons: string[]; weights?: number[] }

export type PlannerSearchPage = { docs: PlannerSearchEntry[]; total: number; limit: number; page: number; pages: number }

export type PlannerSearchEntry = { searchId: string; text: string; organisations: string[]; createdDate: string; engines: EngineOutcome[] }

export type EngineOutcome = { clientId: string; name: string; status: string; problem: string | null }

export type Plan = { planId: string; name: string; notes: string; text: string; organisations: string[]; own: boolean; owner: PlanReader; createdDate: string; changedDate: string; people: Candidate[]; shared: { organisations: ({ organisation: string; name: string })[]; people: PlanReader[] } | null }

export type PlanReader = { handle: string; firstName: string; lastName: string }

export type PlanPage = { docs: PlanEntry[]; total: number; limit: number; page: number; pages: number }

export type PlanEntry = { planId: string; name: string; notes: string; text: string; organisations: string[]; own: boolean; owner: PlanReader; createdDate: string; changedDate: string; people: number }

export type DeliveryPage = { docs: Delivery[]; total: number; limit: number; page: number; pages: number }

export type Delivery = { deliveryId: string; purpose: string; requestId: string | null; state: "waiting" | "delivered" | "failed" | "replaced"; attempts: number; outcomes: ("taken" | "refused")[]; problem: string | null; createdDate: string; nextDate: string | null; settledDate: string | null }

export type DeliveryLog = { deliveryId: string; purpose: string; requestId: string | null; state: "waiting" | "delivered" | "failed" | "replaced"; attempts: number; outcomes: ("taken" | "refused")[]; problem: string | null; createdDate: string; nextDate: string | null; settledDate: string | null; body: unknown; log: ({ number: number; date: string; uri: string; headers: Record<string, string>; tookMs: number; status: number | null; answer: string | null; problem: string | null })[] }

export type ReplayedDeliveries = { count: number; more: boolean }

export type FoundPeople = { docs: FoundPerson[]; total: number; limit: number; page: number; pages: number }

export type FoundPerson = { handle: string; name: string; firstName: string; lastName: string; email: string | null; status: "active" | "invited" | "expired" | "uninvited" | "disabled"; administrator: boolean; developer: boolean; managedBy: string | null; invitationExpiresDate: string | null; createdDate: string }

export type KnownPerson = { handle: string; name: string; firstName: string; lastName: string; email: string | null; status: "active" | "invited" | "expired" | "uninvited" | "disabled"; administrator: boolean; developer: boolean; managedBy: string | null; invitationExpiresDate: string | null; createdDate: string; disabledDate: string | null; reason: string | null; hasPassword: boolean; passkeys: number; browsers: number; sessions: number; lastSeenDate: string | null; organisations: ({ key: string; name: string; role: string })[]; apps: ({ clientId: string; name: string; sinceDate: string; lastSeenDate: string | null })[] }

export type Names = { people: Record<string, string>; activities: Record<string, string> }

export type Overview = { waiting: { apps: number; changedApps: number; permissions: number; invited: number; expired: number; uninvited: number }; growth: { people: Growth; organisations: Growth; classes: Growth; activePeople: { last7Days: number; last30Days: number } }; problems: OverviewProblem[] }

export type Growth = { total: number; last7Days: number; last30Days: number }

export type OverviewProblem = { problem: "diskLow" | "emailOff" | "emailFailed" | "jobsFailed" | "deliveriesFailed" | "eventsSkipped" | "jobsLate" | "deliveriesLate" | "eventsLate"; value: number; name: string | null; clientId: string | null }

export type System = { environment: string; version: string; node: string; startedDate: string; uptimeSeconds: number; memoryBytes: number; database: { version: string; sizeBytes: number; connections: number; connectionLimit: number; waiting: number; migrations: number; lastMigration: string }; storage: { recordsBytes: number; freeBytes: number | null; reserveBytes: number }; events: { unpublishedSeconds: number; consumers: ({ name: string; waitingSeconds: number; unread: number; failed: number })[] }; jobs: ({ kind: string; due: number; waitingSeconds: number; givenUp: number })[]; deliveries: { waiting: number; overdueSeconds: number; failed: number }; operations: ({ operation: string; count: number; p50Ms: number; p95Ms: number; refused: number; failed: number; errorRate: number })[] }

export type PersonDeletion = { handle: string; classesTaught: number; classesAttended: number; appsOwned: number; organisationsOwned: number; organisationsWithoutOwner: string[] }

export type AuditPage = { docs: AuditEntry[]; next: string | null }

export type AuditEntry = { date: string; action: string; person: string | null; by: string | null; clientId: string | null; sessionId: string | null; address: string | null; requestId: string | null; detail: Record<string, string | number | boolean>; names: Record<string, string> }

export type OauthError = { error: string; error_code: 4000 | 4001 | 4002 | 4003 | 4004 | 4005 | 4006 | 4007 | 4008 | 4010 | 4011 | 4012 | 4013 | 4014 | 4015 | 4016 | 4017 | 4019 | 4032 | 4033 | 4034 | 4035 | 4041 | 4042 | 4050 | 4091 | 4121 | 4131 | 4151 | 4171 | 4291 | 5000 | 5030 | 5040; error_description: string; faults?: ({ pointer: string; rule?: string; must: string; message?: string })[] }

export type Error = { error_code: 4000 | 4001 | 4002 | 4003 | 4004 | 4005 | 4006 | 4007 | 4008 | 4010 | 4011 | 4012 | 4013 | 4014 | 4015 | 4016 | 4017 | 4019 | 4032 | 4033 | 4034 | 4035 | 4041 | 4042 | 4050 | 4091 | 4121 | 4131 | 4151 | 4171 | 4291 | 5000 | 5030 | 5040; error_description: string; faults?: ({ pointer: string; rule?: string; must: string; message?: string })[] }

export type StandardOauthError = { error: string; error_description: string }

/** Get tokens. */
export const requestTokens = /* @__PURE__ */ operation<{ grant_type?: string; client_id?: string; client_secret?: string; code?: string; code_verifier?: string; redirect_uri?: string; refresh_token?: string }, Tokens>('requestTokens', 'POST', '/oauth/token')

/** Sign out a user. */
export const logOut = /* @__PURE__ */ operation<{ refresh_token?: string }, Success>('logOut', 'POST', '/oauth/logout')

/** Validate an access token. */
export const validateToken = /* @__PURE__ */ operation<Record<never, never>, ValidateTokenAnswer>('validateToken', 'GET', '/oauth/token/validate')

/** Validate a session. */
export const validateSession = /* @__PURE__ */ operation<{ refresh_token?: string }, ValidateSessionAnswer>('validateSession', 'GET', '/oauth/session/validate')

/** Sign in with Basic authentication. */
export const signInWithBasic = /* @__PURE__ */ address<Record<never, never>>('/auth/basic')

/** Launch an app. */
export const launchApp = /* @__PURE__ */ operation<{ clientId: string; launchUri: string }, LaunchAppAnswer>('launchApp', 'POST', '/account/v1/launch')

/** Get OAuth server metadata. */
export const readServerMetadata = /* @__PURE__ */ operation<Record<never, never>, ServerMetadata>('readServerMetadata', 'GET', '/.well-known/oauth-authorization-server')

/** Get OpenID provider metadata. */
export const readProviderMetadata = /* @__PURE__ */ operation<Record<never, never>, ServerMetadata>('readProviderMetadata', 'GET', '/.well-known/openid-configuration')

/** Get tokens (v2). */
export const requestStandardTokens = /* @__PURE__ */ operation<{ grant_type?: string; client_id?: string; client_secret?: string; code?: string; code_verifier?: string; redirect_uri?: string; refresh_token?: string; client_assertion?: string; client_assertion_type?: string; device_code?: string; scope?: string }, StandardTokens>('requestStandardTokens', 'POST', '/oauth/v2/token')

/** Revoke a token. */
export const revokeToken = /* @__PURE__ */ operation<{ client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; token: string; token_type_hint?: string }, Success>('revokeToken', 'POST', '/oauth/v2/revoke')

/** Introspect a token. */
export const introspectToken = /* @__PURE__ */ operation<{ client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; token: string; token_type_hint?: string }, TokenFacts>('introspectToken', 'POST', '/oauth/v2/introspect')

/** Start device sign-in. */
export const startDevice = /* @__PURE__ */ operation<{ client_id?: string; client_secret?: string; client_assertion?: string; client_assertion_type?: string; scope?: string }, DeviceCodes>('startDevice', 'POST', '/oauth/v2/device/authorize')

/** Get the signed-in user (OpenID). */
export const readUserInfo = /* @__PURE__ */ operation<Record<never, never>, UserInfo>('readUserInfo', 'GET', '/oauth/v2/userinfo')

/** Get the signed-in user by POST (OpenID). */
export const postUserInfo = /* @__PURE__ */ operation<{ access_token?: string }, UserInfo>('postUserInfo', 'POST', '/oauth/v2/userinfo')

/** Get the keys of ID tokens. */
export const readPublicKeys = /* @__PURE__ */ operation<Record<never, never>, PublicKeys>('readPublicKeys', 'GET', '/oauth/v2/jwks')

/** List failed logout tokens. */
export const listFailedLogouts = /* @__PURE__ */ operation<{ clientId: string }, FailedLogouts>('listFailedLogouts', 'GET', '/app/v1/app/logouts')

/** Sign in with a password. */
export const signIn = /* @__PURE__ */ operation<{ handle: string; password: string; keep?: boolean }, Me>('signIn', 'POST', '/account/v1/signin')

/** Send a sign-up link. */
export const askSignUp = /* @__PURE__ */ operation<{ email: string }, Success>('askSignUp', 'POST', '/account/v1/signup/ask')

/** Create an account. */
export const signUp = /* @__PURE__ */ operation<{ code: string; handle: string; firstName: string; lastName: string; dateOfBirth: string; password: string }, Me>('signUp', 'POST', '/account/v1/signup')

/** Send a link to join an organisation. */
export const askToJoin = /* @__PURE__ */ operation<{ organisation: string; email: string; code?: string }, Success>('askToJoin', 'POST', '/account/v1/join/ask')

/** Join an organisation. */
export const joinOrganisation = /* @__PURE__ */ operation<{ organisation: string; code?: string }, Success>('joinOrganisation', 'POST', '/account/v1/join')

/** Join an organisation with a link. */
export const joinWithLink = /* @__PURE__ */ operation<{ code: string }, Success>('joinWithLink', 'POST', '/account/v1/join/link')

/** Sign out. */
export const signOut = /* @__PURE__ */ operation<Record<never, never>, SignedOut>('signOut', 'POST', '/account/v1/signout')

/** Get the signed-in user. */
export const readMe = /* @__PURE__ */ operation<Record<never, never>, Me>('readMe', 'GET', '/account/v1/me')

/** Get the current environment. */
export const readHere = /* @__PURE__ */ operation<Record<never, never>, Here>('readHere', 'GET', '/account/v1/here')

/** List your apps. */
export const listOwnApps = /* @__PURE__ */ operation<Record<never, never>, AccountApp[]>('listOwnApps', 'GET', '/account/v1/apps')

/** List your browsers. */
export const listOwnBrowsers = /* @__PURE__ */ operation<Record<never, never>, Browser[]>('listOwnBrowsers', 'GET', '/account/v1/browsers')

/** Sign out a browser. */
export const endBrowser = /* @__PURE__ */ operation<{ browserId: string }, Success>('endBrowser', 'POST', '/account/v1/browser/end')

/** End an app session. */
export const endSession = /* @__PURE__ */ operation<{ sessionId: string }, Success>('endSession', 'POST', '/account/v1/session/end')

/** End all other sessions. */
export const endEverythingElse = /* @__PURE__ */ operation<Record<never, never>, Ended>('endEverythingElse', 'POST', '/account/v1/sessions/end-all')

/** Withdraw scopes from an app. */
export const withdrawScopes = /* @__PURE__ */ operation<{ clientId: string; scopes: string[] | string }, Success>('withdrawScopes', 'POST', '/account/v1/app/scopes/withdraw')

/** Withdraw consent to an app. */
export const withdrawConsent = /* @__PURE__ */ operation<{ clientId: string }, Success>('withdrawConsent', 'POST', '/account/v1/app/withdraw')

/** Change your password. */
export const changePassword = /* @__PURE__ */ operation<{ password: string; newPassword: string; removePasskeys?: string[] | string }, Ended>('changePassword', 'POST', '/account/v1/password')

/** Send a password reset link. */
export const askPasswordReset = /* @__PURE__ */ operation<{ handle: string }, Success>('askPasswordReset', 'POST', '/account/v1/password/reset/ask')

/** Reset your password. */
export const resetPassword = /* @__PURE__ */ operation<{ code: string; password: string; removePasskeys?: string[] | string }, Ended>('resetPassword', 'POST', '/account/v1/password/reset')

/** Set up an account with a passkey. */
export const addFirstPasskey = /* @__PURE__ */ operation<{ code: string; response: unknown }, Me>('addFirstPasskey', 'POST', '/account/v1/passkey/link')

/** Sign in as a demo user. */
export const signInAsDemo = /* @__PURE__ */ operation<{ handle: string }, Success>('signInAsDemo', 'POST', '/account/v1/demo/signin')

/** Search everything. */
export const findAnything = /* @__PURE__ */ operation<{ text: string }, Findings>('findAnything', 'GET', '/account/v1/find')

/** List your invitations. */
export const listInvitations = /* @__PURE__ */ operation<Record<never, never>, Invitations>('listInvitations', 'GET', '/edu/v1/invitation/list')

/** Decline an invitation. */
export const declineInvitation = /* @__PURE__ */ operation<{ invitationId: string }, Success>('declineInvitation', 'POST', '/edu/v1/invitation/decline')

/** List sent invitations. */
export const listSentInvitations = /* @__PURE__ */ operation<{ organisation?: string; classId?: string; page?: number; limit?: number }, SentInvitationPage>('listSentInvitations', 'GET', '/edu/v1/invitation/sent')

/** Resend an invitation. */
export const resendInvitation = /* @__PURE__ */ operation<{ invitationId: string }, SentInvitation>('resendInvitation', 'POST', '/edu/v1/invitation/resend')

/** Change an invitation. */
export const correctInvitation = /* @__PURE__ */ operation<{ invitationId: string; email?: string; firstName?: string; lastName?: string }, SentInvitation>('correctInvitation', 'POST', '/edu/v1/invitation/correct')

/** Withdraw an invitation. */
export const withdrawInvitation = /* @__PURE__ */ operation<{ invitationId: string }, Success>('withdrawInvitation', 'POST', '/edu/v1/invitation/withdraw')

/** Create an organisation. */
export const createOrganisation = /* @__PURE__ */ operation<{ organisation: string; name: string; owner?: string }, Organisation>('createOrganisation', 'PUT', '/edu/v1/organisation')

/** Rename an organisation. */
export const renameOrganisation = /* @__PURE__ */ operation<{ organisation: string; name: string }, Organisation>('renameOrganisation', 'POST', '/edu/v1/organisation')

/** Get an organisation. */
export const readOrganisation = /* @__PURE__ */ operation<{ organisation: string }, Organisation>('readOrganisation', 'GET', '/edu/v1/organisation')

/** Set who can create courses. */
export const setCourseAuthors = /* @__PURE__ */ operation<{ organisation: string; courseAuthors: "owners" | "instructors" }, Organisation>('setCourseAuthors', 'POST', '/edu/v1/organisation/course-authors')

/** Set the time zone of an organisation. */
export const setTimeZone = /* @__PURE__ */ operation<{ organisation: string; timeZone: string }, Organisation>('setTimeZone', 'POST', '/edu/v1/organisation/time-zone')

/** List owners of an organisation. */
export const listOrganisationOwners = /* @__PURE__ */ operation<{ organisation: string; page?: number; limit?: number }, OrganisationOwnerPage>('listOrganisationOwners', 'GET', '/edu/v1/organisation/owners')

/** List organisations. */
export const listOrganisations = /* @__PURE__ */ operation<{ query?: string; organisations?: string[] | string; role?: "owner" | "developer" | "courseAuthor"; page?: number; limit?: number }, OrganisationPage>('listOrganisations', 'GET', '/edu/v1/organisation/list')

/** List organisation members. */
export const listOrganisationMembers = /* @__PURE__ */ operation<{ organisation: string; query?: string; status?: "active" | "invited" | "expired" | "uninvited" | "disabled"; role?: "owner" | "developer" | "instructor" | "member"; pending?: boolean; sort?: "handle" | "-handle" | "name" | "-name" | "role" | "-role" | "status" | "-status"; page?: number; limit?: number }, OrganisationMemberPage>('listOrganisationMembers', 'GET', '/edu/v1/organisation/members')

/** Invite or update a member. */
export const setOrganisationMember = /* @__PURE__ */ operation<{ organisation: string; handle: string; role: "owner" | "developer" | "instructor" | "member"; firstName?: string; lastName?: string; wantedHandle?: string }, SentInvitation | OrganisationMember>('setOrganisationMember', 'POST', '/edu/v1/organisation/member')

/** Import people into an organisation. */
export const importPeople = /* @__PURE__ */ upload<{ organisation: string; dryRun?: boolean; allOrNothing?: boolean }, PeopleReport>('importPeople', 'POST', '/edu/v1/organisation/people')

/** Get the sign-up settings. */
export const readSignUpSettings = /* @__PURE__ */ operation<{ organisation: string }, OrganisationSignUp>('readSignUpSettings', 'GET', '/edu/v1/organisation/signup')

/** Change the sign-up settings. */
export const setSignUpSettings = /* @__PURE__ */ operation<{ organisation: string; domains?: string[] | string; code?: "new" | "none" }, OrganisationSignUp>('setSignUpSettings', 'POST', '/edu/v1/organisation/signup')

/** Remove an organisation member. */
export const removeOrganisationMember = /* @__PURE__ */ operation<{ organisation: string; handle: string }, Success>('removeOrganisationMember', 'POST', '/edu/v1/organisation/member/remove')

/** Get the sign-in provider. */
export const readProvider = /* @__PURE__ */ operation<{ organisation: string }, Provider>('readProvider', 'GET', '/edu/v1/organisation/provider')

/** Set the sign-in provider. */
export const setProvider = /* @__PURE__ */ operation<{ organisation: string; issuer?: string; clientId?: string; clientSecret?: string; createsAccounts?: boolean; groupsClaim?: string; groupRoles?: GroupRole[] }, Provider>('setProvider', 'POST', '/edu/v1/organisation/provider')

/** Set the mode of the sign-in provider. */
export const setProviderMode = /* @__PURE__ */ operation<{ organisation: string; mode: "off" | "allowed" | "enforced"; breakGlass?: string[] | string }, Provider>('setProviderMode', 'POST', '/edu/v1/organisation/provider/mode')

/** Remove the sign-in provider. */
export const removeProvider = /* @__PURE__ */ operation<{ organisation: string }, Success>('removeProvider', 'POST', '/edu/v1/organisation/provider/remove')

/** Add an e-mail domain. */
export const addProviderDomain = /* @__PURE__ */ operation<{ organisation: string; domain: string }, Provider>('addProviderDomain', 'POST', '/edu/v1/organisation/provider/domain')

/** Check an e-mail domain. */
export const proveProviderDomain = /* @__PURE__ */ operation<{ organisation: string; domain: string }, Provider>('proveProviderDomain', 'POST', '/edu/v1/organisation/provider/domain/prove')

/** Remove an e-mail domain. */
export const removeProviderDomain = /* @__PURE__ */ operation<{ organisation: string; domain: string }, Provider>('removeProviderDomain', 'POST', '/edu/v1/organisation/provider/domain/remove')

/** List failed sign-ins with the provider. */
export const listProviderFailures = /* @__PURE__ */ operation<{ organisation: string; page?: number; limit?: number }, ProviderFailurePage>('listProviderFailures', 'GET', '/edu/v1/organisation/provider/failures')

/** Remove a member from the sign-in provider. */
export const unlinkProviderIdentity = /* @__PURE__ */ operation<{ organisation: string; handle: string }, Success>('unlinkProviderIdentity', 'POST', '/edu/v1/organisation/provider/unlink')

/** List your connections to organisations. */
export const listConnections = /* @__PURE__ */ operation<Record<never, never>, Connection[]>('listConnections', 'GET', '/account/v1/connections')

/** Remove your connection to an organisation. */
export const removeConnection = /* @__PURE__ */ operation<{ organisation: string }, Success>('removeConnection', 'POST', '/account/v1/connection/remove')

/** Create an anonymous user. */
export const createAnonymousUser = /* @__PURE__ */ operation<{ anonymous?: unknown; clientId?: string; dateOfBirth: string; deviceToken?: string }, OwnProfile>('createAnonymousUser', 'PUT', '/user/v1/my/profile')

/** Get your profile. */
export const readOwnProfile = /* @__PURE__ */ operation<Record<never, never>, OwnProfile>('readOwnProfile', 'GET', '/user/v1/my/profile')

/** Get a bucket. */
export const readBucket = /* @__PURE__ */ operation<{ id: string; key?: string }, Bucket>('readBucket', 'GET', '/app/v1/bucket')

/** Create a bucket. */
export const createBucket = /* @__PURE__ */ operation<{ id: string; public?: boolean; data?: unknown; users?: string[] | string }, Bucket>('createBucket', 'PUT', '/app/v1/bucket')

/** Update a bucket. */
export const setBucketValue = /* @__PURE__ */ operation<{ id: string; key: string; value: unknown }, Bucket>('setBucketValue', 'POST', '/app/v1/bucket')

/** Delete a bucket. */
export const deleteBucket = /* @__PURE__ */ operation<{ id?: string }, Success>('deleteBucket', 'DELETE', '/app/v1/bucket')

/** Add a bucket member. */
export const addBucketUser = /* @__PURE__ */ operation<{ id: string; userId: string }, Bucket>('addBucketUser', 'POST', '/app/v1/bucket/user')

/** Remove a bucket member. */
export const removeBucketUser = /* @__PURE__ */ operation<{ id: string; userId: string }, Bucket>('removeBucketUser', 'POST', '/app/v1/bucket/user/remove')

/** List your buckets. */
export const listBuckets = /* @__PURE__ */ operation<{ page?: number; limit?: number }, string[]>('listBuckets', 'GET', '/app/v1/bucket/list')

/** Stream bucket changes. */
export const watchBucket = /* @__PURE__ */ stream<{ id: string }, { ready: { id: string; version: number }; change: BucketChange; reset: Bucket; removed: { id: string }; deleted: { id: string } }>('/app/v1/bucket/events')

/** Create an app. */
export const registerApp = /* @__PURE__ */ operation<{ organisation: string; name: string; key?: string; redirectUris?: string[] | string; launchUri?: string; origins?: string[] | string; postLogoutRedirectUris?: string[] | string; backchannelLogoutUri?: string; backchannelLogoutSessionRequired?: boolean; publicKeys?: string; tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt"; idTokenAlgorithm?: "RS256" | "ES256" | "EdDSA"; scopes?: string[] | string; public?: boolean }, NewApp>('registerApp', 'PUT', '/app/v1/app')

/** Update an app. */
export const changeApp = /* @__PURE__ */ operation<{ clientId: string; name?: string; redirectUris?: string[] | string; launchUri?: string; origins?: string[] | string; postLogoutRedirectUris?: string[] | string; backchannelLogoutUri?: string; backchannelLogoutSessionRequired?: boolean; publicKeys?: string; tokenEndpointAuthMethod?: "client_secret" | "private_key_jwt"; idTokenAlgorithm?: "RS256" | "ES256" | "EdDSA"; scopes?: string[] | string }, App>('changeApp', 'POST', '/app/v1/app')

/** Get an app. */
export const readApp = /* @__PURE__ */ operation<{ clientId: string }, App>('readApp', 'GET', '/app/v1/app')

/** List apps. */
export const listApps = /* @__PURE__ */ operation<{ organisation?: string; status?: "pending" | "approved" | "suspended"; page?: number; limit?: number }, AppPage>('listApps', 'GET', '/app/v1/app/list')

/** List app users. */
export const listAppUsers = /* @__PURE__ */ operation<{ clientId: string; sort?: "since" | "-since"; page?: number; limit?: number }, UsersOfApp>('listAppUsers', 'GET', '/app/v1/app/users')

/** Create a client secret. */
export const addAppSecret = /* @__PURE__ */ operation<{ clientId: string }, NewAppSecret>('addAppSecret', 'PUT', '/app/v1/app/secret')

/** Revoke old client secrets. */
export const dropOldAppSecret = /* @__PURE__ */ operation<{ clientId: string }, App>('dropOldAppSecret', 'POST', '/app/v1/app/secret/drop')

/** Approve or suspend an app. */
export const setAppStatus = /* @__PURE__ */ operation<{ clientId: string; status: "approved" | "suspended"; reason?: string }, App>('setAppStatus', 'POST', '/app/v1/app/status')

/** List changed apps. */
export const listChangedApps = /* @__PURE__ */ operation<{ page?: number; limit?: number }, ChangedAppPage>('listChangedApps', 'GET', '/app/v1/app/changed')

/** Mark an app as reviewed. */
export const markAppLookedAt = /* @__PURE__ */ operation<{ clientId: string; changedDate: string }, Success>('markAppLookedAt', 'POST', '/app/v1/app/changed')

/** List app requests. */
export const listAppRequests = /* @__PURE__ */ operation<{ clientId: string; status?: string; code?: number; operation?: string; limit?: number; cursor?: string }, RequestPage>('listAppRequests', 'GET', '/app/v1/app/requests')

/** Create test users. */
export const makeTestPeople = /* @__PURE__ */ operation<Record<never, never>, TestPeople>('makeTestPeople', 'PUT', '/sandbox/v1/people')

/** List your test users. */
export const listTestPeople = /* @__PURE__ */ operation<Record<never, never>, TestPeople>('listTestPeople', 'GET', '/sandbox/v1/people')

/** Sign in as a test user. */
export const signInAsTestPerson = /* @__PURE__ */ operation<{ handle: string }, Success>('signInAsTestPerson', 'POST', '/sandbox/v1/people/signin')

/** Reset your test users. */
export const resetTestPeople = /* @__PURE__ */ operation<Record<never, never>, TestPeople>('resetTestPeople', 'POST', '/sandbox/v1/people/reset')

/** Export your data. */
export const exportEverything = /* @__PURE__ */ operation<{ password?: string }, Blob>('exportEverything', 'POST', '/account/v1/export')

/** List your passkeys. */
export const listPasskeys = /* @__PURE__ */ operation<Record<never, never>, Passkey[]>('listPasskeys', 'GET', '/account/v1/passkeys')

/** Begin creating a passkey. */
export const startPasskey = /* @__PURE__ */ operation<{ password?: string; proof?: unknown }, StartPasskeyAnswer>('startPasskey', 'POST', '/account/v1/passkey/options')

/** Begin a passkey proof. */
export const startPasskeyProof = /* @__PURE__ */ operation<Record<never, never>, StartPasskeyProofAnswer>('startPasskeyProof', 'POST', '/account/v1/passkey/proof/options')

/** Create a passkey. */
export const addPasskey = /* @__PURE__ */ operation<{ response: unknown; name?: string }, Passkey>('addPasskey', 'POST', '/account/v1/passkey')

/** Begin setting up with a passkey. */
export const startFirstPasskey = /* @__PURE__ */ operation<{ code: string }, StartPasskeyAnswer>('startFirstPasskey', 'POST', '/account/v1/passkey/link/options')

/** Rename a passkey. */
export const renamePasskey = /* @__PURE__ */ operation<{ passkeyId: string; name: string }, Success>('renamePasskey', 'POST', '/account/v1/passkey/rename')

/** Delete a passkey. */
export const removePasskey = /* @__PURE__ */ operation<{ passkeyId: string; password?: string; proof?: unknown }, Success>('removePasskey', 'POST', '/account/v1/passkey/remove')

/** Begin passkey sign-in. */
export const startPasskeySignIn = /* @__PURE__ */ operation<Record<never, never>, StartPasskeyProofAnswer>('startPasskeySignIn', 'POST', '/account/v1/passkey/signin/options')

/** Complete passkey sign-in. */
export const signInWithPasskey = /* @__PURE__ */ operation<{ response: unknown; keep?: boolean }, Me>('signInWithPasskey', 'POST', '/account/v1/passkey/signin')

/** Get a user's profile. */
export const readProfile = /* @__PURE__ */ operation<{ id: string }, UserEntry>('readProfile', 'GET', '/user/v1/profile')

/** Get your settings. */
export const readSettings = /* @__PURE__ */ operation<Record<never, never>, Settings>('readSettings', 'GET', '/account/v1/profile')

/** Update your settings. */
export const changeSettings = /* @__PURE__ */ operation<{ firstName?: string; lastName?: string; country?: string; gender?: string; position?: string; publicSearch?: boolean }, Settings>('changeSettings', 'POST', '/account/v1/profile')

/** Change your e-mail address. */
export const changeEmail = /* @__PURE__ */ operation<{ email: string; password?: string }, Success>('changeEmail', 'POST', '/account/v1/email')

/** Get your picture. */
export const readMyPicture = /* @__PURE__ */ address<{ size?: number }>('/user/v1/my/profile/picture')

/** Get your cover. */
export const readMyCover = /* @__PURE__ */ address<{ size?: number }>('/user/v1/my/profile/cover')

/** Get a user's image. */
export const readImage = /* @__PURE__ */ address<{ id: string; size?: number }>('/image/v1/static/{id}')

/** Get your account's picture. */
export const readAccountPicture = /* @__PURE__ */ address<{ size?: number }>('/account/v1/profile/picture')

/** Replace your picture. */
export const setPicture = /* @__PURE__ */ upload<Record<never, never>, Success>('setPicture', 'PUT', '/account/v1/profile/picture')

/** Delete your picture. */
export const removePicture = /* @__PURE__ */ operation<Record<never, never>, Success>('removePicture', 'DELETE', '/account/v1/profile/picture')

/** Get your account's cover. */
export const readAccountCover = /* @__PURE__ */ address<{ size?: number }>('/account/v1/profile/cover')

/** Replace your cover. */
export const setCover = /* @__PURE__ */ upload<Record<never, never>, Success>('setCover', 'PUT', '/account/v1/profile/cover')

/** Delete your cover. */
export const removeCover = /* @__PURE__ */ operation<Record<never, never>, Success>('removeCover', 'DELETE', '/account/v1/profile/cover')

/** Get a friend's picture. */
export const readKnownPicture = /* @__PURE__ */ address<{ handle: string; size?: number }>('/account/v1/friends/picture')

/** Search users. */
export const searchUsers = /* @__PURE__ */ operation<{ term: string; limit?: number; page?: number }, FoundUsers>('searchUsers', 'GET', '/user/v1/search')

/** Get random users. */
export const sampleUsers = /* @__PURE__ */ operation<{ count?: number }, UserEntry[]>('sampleUsers', 'GET', '/user/v1/search/random')

/** Delete your account. */
export const deleteAccount = /* @__PURE__ */ operation<{ handle: string; password?: string }, Success>('deleteAccount', 'POST', '/account/v1/delete')

/** List your children in an app. */
export const listKids = /* @__PURE__ */ operation<Record<never, never>, UserEntry[]>('listKids', 'GET', '/user/v1/my/kids')

/** List your children. */
export const listChildren = /* @__PURE__ */ operation<Record<never, never>, Child[]>('listChildren', 'GET', '/account/v1/children')

/** Create a child account. */
export const addChild = /* @__PURE__ */ operation<{ handle: string; firstName: string; lastName: string; dateOfBirth: string; password?: string }, Child>('addChild', 'POST', '/account/v1/children')

/** Update a child's settings. */
export const changeChild = /* @__PURE__ */ operation<{ handle: string; publicSearch?: boolean; cameraDisabled?: boolean; proximityFriends?: boolean; firstName?: string; lastName?: string; country?: string; email?: string; password?: string }, Child>('changeChild', 'POST', '/account/v1/children/settings')

/** Set a child's password. */
export const setChildPassword = /* @__PURE__ */ operation<{ handle: string; password?: string; newPassword: string; removePasskeys?: string[] | string }, Ended>('setChildPassword', 'POST', '/account/v1/children/password')

/** List a child's passkeys. */
export const listChildPasskeys = /* @__PURE__ */ operation<{ handle: string }, Passkey[]>('listChildPasskeys', 'GET', '/account/v1/children/passkeys')

/** List a child's friends. */
export const readChildFriends = /* @__PURE__ */ operation<{ handle: string }, Friends>('readChildFriends', 'GET', '/account/v1/children/friends')

/** Send a friend request for a child. */
export const requestFriendForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('requestFriendForChild', 'POST', '/account/v1/children/friends/request')

/** Accept a friend request for a child. */
export const acceptFriendForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('acceptFriendForChild', 'POST', '/account/v1/children/friends/accept')

/** Decline a friend request for a child. */
export const declineFriendForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('declineFriendForChild', 'POST', '/account/v1/children/friends/decline')

/** Cancel a friend request for a child. */
export const cancelFriendRequestForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('cancelFriendRequestForChild', 'POST', '/account/v1/children/friends/cancel')

/** Remove a friend of a child. */
export const removeFriendForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('removeFriendForChild', 'POST', '/account/v1/children/friends/remove')

/** Block a user for a child. */
export const blockForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('blockForChild', 'POST', '/account/v1/children/friends/block')

/** Unblock a user for a child. */
export const unblockForChild = /* @__PURE__ */ operation<{ handle: string; friend: string }, Success>('unblockForChild', 'POST', '/account/v1/children/friends/unblock')

/** Stop being a child's parent. */
export const leaveChild = /* @__PURE__ */ operation<{ handle: string }, Success>('leaveChild', 'POST', '/account/v1/children/leave')

/** Delete a child's account. */
export const deleteChild = /* @__PURE__ */ operation<{ handle: string; password?: string }, Success>('deleteChild', 'POST', '/account/v1/children/delete')

/** List your friends in an app. */
export const listFriends = /* @__PURE__ */ operation<Record<never, never>, UserEntry[]>('listFriends', 'GET', '/user/v1/my/friends')

/** List friend requests in an app. */
export const readFriendRequests = /* @__PURE__ */ operation<Record<never, never>, FriendRequests>('readFriendRequests', 'GET', '/user/v1/my/friends/requests')

/** List blocked users. */
export const listBlockedUsers = /* @__PURE__ */ operation<Record<never, never>, RememberedUser[]>('listBlockedUsers', 'GET', '/user/v1/my/friends/blocked')

/** Send a friend request. */
export const requestFriend = /* @__PURE__ */ operation<{ userId: string }, Success>('requestFriend', 'POST', '/user/v1/my/friends/request')

/** Accept a friend request. */
export const acceptFriend = /* @__PURE__ */ operation<{ userId: string }, Success>('acceptFriend', 'POST', '/user/v1/my/friends/accept')

/** Decline a friend request. */
export const declineFriend = /* @__PURE__ */ operation<{ userId: string }, Success>('declineFriend', 'POST', '/user/v1/my/friends/decline')

/** Cancel a friend request. */
export const cancelFriendRequest = /* @__PURE__ */ operation<{ userId: string }, Success>('cancelFriendRequest', 'POST', '/user/v1/my/friends/cancel')

/** Remove a friend. */
export const removeFriend = /* @__PURE__ */ operation<{ userId: string }, Success>('removeFriend', 'POST', '/user/v1/my/friends/remove')

/** Block a user. */
export const blockUser = /* @__PURE__ */ operation<{ userId: string }, Success>('blockUser', 'POST', '/user/v1/my/friends/block')

/** Unblock a user. */
export const unblockUser = /* @__PURE__ */ operation<{ userId: string }, Success>('unblockUser', 'POST', '/user/v1/my/friends/unblock')

/** List your friends. */
export const readOwnFriends = /* @__PURE__ */ operation<Record<never, never>, Friends>('readOwnFriends', 'GET', '/account/v1/friends')

/** Send a friend request by handle. */
export const requestFriendByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('requestFriendByHandle', 'POST', '/account/v1/friends/request')

/** Accept a friend request by handle. */
export const acceptFriendByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('acceptFriendByHandle', 'POST', '/account/v1/friends/accept')

/** Decline a friend request by handle. */
export const declineFriendByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('declineFriendByHandle', 'POST', '/account/v1/friends/decline')

/** Cancel a friend request by handle. */
export const cancelFriendRequestByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('cancelFriendRequestByHandle', 'POST', '/account/v1/friends/cancel')

/** Remove a friend by handle. */
export const removeFriendByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('removeFriendByHandle', 'POST', '/account/v1/friends/remove')

/** Block a user by handle. */
export const blockUserByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('blockUserByHandle', 'POST', '/account/v1/friends/block')

/** Unblock a user by handle. */
export const unblockUserByHandle = /* @__PURE__ */ operation<{ handle: string }, Success>('unblockUserByHandle', 'POST', '/account/v1/friends/unblock')

/** Get your skills. */
export const readSkills = /* @__PURE__ */ operation<Record<never, never>, Skills>('readSkills', 'GET', '/account/v1/skills')

/** Update your skills. */
export const setSkills = /* @__PURE__ */ operation<{ hobbies?: string[]; skills?: string[]; afsc?: string; education?: string[] }, Skills>('setSkills', 'PUT', '/account/v1/skills')

/** List your notifications. */
export const listNotifications = /* @__PURE__ */ operation<{ unread?: boolean; limit?: number; cursor?: string }, NotificationPage>('listNotifications', 'GET', '/account/v1/notifications')

/** Mark notifications as read. */
export const markNotificationsRead = /* @__PURE__ */ operation<{ notificationIds?: string[] | string; upTo?: string }, UnreadNotifications>('markNotificationsRead', 'POST', '/account/v1/notifications/read')

/** Stream your notifications. */
export const followNotifications = /* @__PURE__ */ stream<Record<never, never>, { ready: UnreadNotifications; change: { notifications: Notification[]; unread: number } }>('/account/v1/notifications/events')

/** Get your notification settings. */
export const readNotificationSettings = /* @__PURE__ */ operation<Record<never, never>, NotificationSettings>('readNotificationSettings', 'GET', '/account/v1/notifications/settings')

/** Update your notification settings. */
export const setNotificationSettings = /* @__PURE__ */ operation<{ kinds?: ({ kind: "invited" | "assigned" | "unlocked" | "due-soon" | "overdue" | "graded" | "note" | "request" | "delivery-failing" | "announcement"; app: boolean; email: "now" | "digest" | "off" })[]; timeZone?: string }, NotificationSettings>('setNotificationSettings', 'PUT', '/account/v1/notifications/settings')

/** Get a lesson. */
export const readLesson = /* @__PURE__ */ operation<{ lessonId: string; classId?: string }, Lesson>('readLesson', 'GET', '/edu/v1/lesson')

/** Get the content of a lesson. */
export const readLessonContent = /* @__PURE__ */ operation<{ lessonId: string; classId?: string }, LessonDetails>('readLessonContent', 'GET', '/edu/v1/lesson/content')

/** List lessons of a course. */
export const listLessonsOfCourse = /* @__PURE__ */ operation<{ courseId: string; page?: number; limit?: number }, LessonPage>('listLessonsOfCourse', 'GET', '/edu/v1/lesson/course')

/** List lessons of the calling app. */
export const listLessonsOfApp = /* @__PURE__ */ operation<{ classId?: string; page?: number; limit?: number }, Lessons | LessonPage>('listLessonsOfApp', 'GET', '/edu/v1/lesson/app')

/** Get a course. */
export const readCourse = /* @__PURE__ */ operation<{ courseId: string }, Course>('readCourse', 'GET', '/edu/v1/course')

/** Create or replace a course draft. */
export const saveCourse = /* @__PURE__ */ operation<{ courseId?: string; organisation?: string; name: string; description?: string; profilePic?: string; coverPhoto?: string; public?: boolean; lessons: ({ id: string; name: string; description?: string; profilePic?: string; coverPhoto?: string; media?: string; isAssessment?: boolean; kind?: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; text?: string; file?: string; captions?: string; rubric?: ({ id: string; name: string; description?: string; objective?: string; points?: number })[]; quiz?: { parts: ({ questions?: string[]; tag?: string; draw?: number })[]; shuffleQuestions?: boolean; shuffleAnswers?: boolean; timeLimit?: number; feedback?: "answer" | "end" | "never" }; package?: string; item?: number; expectedCompletionTime?: number; instructorGraded?: boolean; public?: boolean; app?: string; launchUri?: string; launchParameters?: string[]; passCode?: boolean; threshold?: number; maxAttempts?: number; prerequisites?: string[]; childLessons?: ({ id: string; name: string; description?: string; profilePic?: string; coverPhoto?: string; media?: string; isAssessment?: boolean; kind?: "activity" | "app" | "instructor-led" | "page" | "file" | "quiz" | "package"; text?: string; file?: string; captions?: string; rubric?: ({ id: string; name: string; description?: string; objective?: string; points?: number })[]; quiz?: { parts: ({ questions?: string[]; tag?: string; draw?: number })[]; shuffleQuestions?: boolean; shuffleAnswers?: boolean; timeLimit?: number; feedback?: "answer" | "end" | "never" }; package?: string; item?: number; expectedCompletionTime?: number; instructorGraded?: boolean; public?: boolean; app?: string; launchUri?: string; launchParameters?: string[]; passCode?: boolean; threshold?: number; maxAttempts?: number; prerequisites?: string[] })[] })[]; objectives?: ({ id: string; name: string; description?: string; lessons: string[] })[] }, CourseDocument>('saveCourse', 'PUT', '/edu/v1/course')

/** List courses. */
export const listCourses = /* @__PURE__ */ operation<{ page?: number; limit?: number }, CoursePage>('listCourses', 'GET', '/edu/v1/course/list')

/** List objectives of a course. */
export const listObjectives = /* @__PURE__ */ operation<{ courseId: string }, Objectives>('listObjectives', 'GET', '/edu/v1/course/objectives')

/** Get a course document. */
export const readCourseDocument = /* @__PURE__ */ operation<{ courseId: string; version?: number }, CourseDocument>('readCourseDocument', 'GET', '/edu/v1/course/document')

/** Get a lesson of a draft. */
export const previewLesson = /* @__PURE__ */ operation<{ courseId: string; lessonId: string }, LessonDetails>('previewLesson', 'GET', '/edu/v1/course/lesson')

/** Duplicate a course. */
export const duplicateCourse = /* @__PURE__ */ operation<{ courseId: string; newCourseId?: string; organisation?: string; name?: string }, CourseDocument>('duplicateCourse', 'POST', '/edu/v1/course/duplicate')

/** Add a content package to a course. */
export const addCoursePackage = /* @__PURE__ */ operation<{ courseId: string; packageId: string; replaces?: string }, CourseDocument>('addCoursePackage', 'POST', '/edu/v1/course/package')

/** List apps for lessons. */
export const listLessonApps = /* @__PURE__ */ operation<{ courseId: string; query?: string; page?: number; limit?: number }, LessonAppPage>('listLessonApps', 'GET', '/edu/v1/course/apps')

/** Get an app for lessons. */
export const readLessonApp = /* @__PURE__ */ operation<{ courseId: string; app: string }, LessonAppDetails>('readLessonApp', 'GET', '/edu/v1/course/app')

/** Check the launch of a lesson. */
export const testLaunch = /* @__PURE__ */ operation<{ courseId: string; app: string; launchParameters?: string[]; passCode?: boolean; launchUri?: string }, LaunchTest>('testLaunch', 'POST', '/edu/v1/course/lesson/test')

/** Launch a lesson as its author. */
export const launchDraftLesson = /* @__PURE__ */ operation<{ courseId: string; app: string; launchParameters?: string[]; passCode?: boolean; launchUri: string; lessonId: string; allow?: boolean }, DraftLaunch>('launchDraftLesson', 'POST', '/edu/v1/course/lesson/launch')

/** Publish a course. */
export const publishCourse = /* @__PURE__ */ operation<{ courseId: string }, CourseVersion>('publishCourse', 'POST', '/edu/v1/course/publish')

/** List course versions. */
export const listCourseVersions = /* @__PURE__ */ operation<{ courseId: string; page?: number; limit?: number }, CourseVersionPage>('listCourseVersions', 'GET', '/edu/v1/course/versions')

/** Discard a course draft. */
export const discardCourseDraft = /* @__PURE__ */ operation<{ courseId: string }, Success>('discardCourseDraft', 'POST', '/edu/v1/course/draft/discard')

/** Delete a course. */
export const removeCourse = /* @__PURE__ */ operation<{ courseId: string }, Success>('removeCourse', 'POST', '/edu/v1/course/remove')

/** List courses that you manage. */
export const listManagedCourses = /* @__PURE__ */ operation<{ organisation?: string; page?: number; limit?: number }, ManagedCoursePage>('listManagedCourses', 'GET', '/edu/v1/course/managed')

/** List your classes. */
export const listClasses = /* @__PURE__ */ operation<{ page?: number; limit?: number }, ClassPage>('listClasses', 'GET', '/edu/v1/class/list')

/** Create a class. */
export const createClass = /* @__PURE__ */ operation<{ courseId: string; classId?: string; name: string; sequential?: boolean; joinCode?: string; newJoinCode?: boolean }, ClassDetails>('createClass', 'PUT', '/edu/v1/class')

/** Update a class. */
export const changeClass = /* @__PURE__ */ operation<{ classId: string; name?: string; sequential?: boolean; joinCode?: string; newJoinCode?: boolean }, ClassDetails>('changeClass', 'POST', '/edu/v1/class')

/** Get a class. */
export const readClass = /* @__PURE__ */ operation<{ classId: string }, ClassDetails>('readClass', 'GET', '/edu/v1/class')

/** Duplicate a class. */
export const duplicateClass = /* @__PURE__ */ operation<{ classId: string; newClassId?: string; name?: string; version?: "newest" | "same" }, ClassDetails>('duplicateClass', 'POST', '/edu/v1/class/duplicate')

/** Close a class. */
export const endClass = /* @__PURE__ */ operation<{ classId: string }, ClassDetails>('endClass', 'POST', '/edu/v1/class/end')

/** Reopen a class. */
export const reopenClass = /* @__PURE__ */ operation<{ classId: string }, ClassDetails>('reopenClass', 'POST', '/edu/v1/class/reopen')

/** List classes that you manage. */
export const listManagedClasses = /* @__PURE__ */ operation<{ organisation?: string; courseId?: string; page?: number; limit?: number }, ManagedClassPage>('listManagedClasses', 'GET', '/edu/v1/class/managed')

/** Set a class staff member. */
export const setClassStaff = /* @__PURE__ */ operation<{ classId: string; handle: string; role: "instructor" | "observer" }, SentInvitation | ClassStaff>('setClassStaff', 'POST', '/edu/v1/class/staff')

/** Remove a class staff member. */
export const removeClassStaff = /* @__PURE__ */ operation<{ classId: string; handle: string }, Success>('removeClassStaff', 'POST', '/edu/v1/class/staff/remove')

/** List students of a class. */
export const listStudents = /* @__PURE__ */ operation<{ classId: string; status?: "active" | "suspended" | "dropped"; studentId?: string; search?: string; sort?: "enrolled" | "-enrolled" | "name" | "-name" | "status" | "-status"; page?: number; limit?: number }, Students>('listStudents', 'GET', '/edu/v1/class/student/list')

/** Enrol a student. */
export const enrolStudent = /* @__PURE__ */ operation<{ classId: string; handle: string }, SentInvitation | Student>('enrolStudent', 'PUT', '/edu/v1/class/student')

/** Drop a student. */
export const dropStudent = /* @__PURE__ */ operation<{ studentId: string }, Student>('dropStudent', 'POST', '/edu/v1/class/student/drop')

/** Suspend a student. */
export const suspendStudent = /* @__PURE__ */ operation<{ studentId: string }, Student>('suspendStudent', 'POST', '/edu/v1/class/student/suspend')

/** Reinstate a student. */
export const reinstateStudent = /* @__PURE__ */ operation<{ studentId: string }, Student>('reinstateStudent', 'POST', '/edu/v1/class/student/reinstate')

/** List transfer targets. */
export const listTransferTargets = /* @__PURE__ */ operation<{ classId: string }, TransferTarget[]>('listTransferTargets', 'GET', '/edu/v1/class/student/transfer')

/** Transfer a student. */
export const transferStudent = /* @__PURE__ */ operation<{ studentId: string; classId: string }, Student>('transferStudent', 'POST', '/edu/v1/class/student/transfer')

/** Join a class. */
export const joinClass = /* @__PURE__ */ operation<{ joinCode: string }, Joined>('joinClass', 'POST', '/edu/v1/class/join')

/** Leave a class. */
export const leaveClass = /* @__PURE__ */ operation<{ classId: string }, Success>('leaveClass', 'POST', '/edu/v1/class/leave')

/** Import a class roster. */
export const importRoster = /* @__PURE__ */ upload<{ classId: string; dryRun?: boolean; allOrNothing?: boolean }, RosterReport>('importRoster', 'POST', '/edu/v1/class/roster')

/** List manual locks of a class. */
export const listLocks = /* @__PURE__ */ operation<{ classId: string }, LocksByHand>('listLocks', 'GET', '/edu/v1/class/lock')

/** Lock or unlock a lesson. */
export const setLock = /* @__PURE__ */ operation<{ classId: string; lessonId: string; studentId?: string; locked: boolean }, LessonLock>('setLock', 'PUT', '/edu/v1/class/lock')

/** Delete a manual lock. */
export const clearLock = /* @__PURE__ */ operation<{ classId: string; lessonId: string; studentId?: string }, Success>('clearLock', 'POST', '/edu/v1/class/lock/clear')

/** Accept an invitation. */
export const acceptInvitation = /* @__PURE__ */ operation<{ invitationId: string }, Success>('acceptInvitation', 'POST', '/edu/v1/invitation/accept')

/** Leave an organisation. */
export const leaveOrganisation = /* @__PURE__ */ operation<{ organisation: string }, Success>('leaveOrganisation', 'POST', '/edu/v1/organisation/leave')

/** Get lesson progress. */
export const readProgress = /* @__PURE__ */ operation<{ lessonId: string; classId?: string; studentId?: string }, LessonProgress>('readProgress', 'GET', '/edu/v1/lesson/progress')

/** Update lesson progress. */
export const updateProgress = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string; pass?: boolean; complete?: boolean; score?: number; answers?: unknown[]; startTime?: string; endTime?: string }, LessonProgress>('updateProgress', 'POST', '/edu/v1/lesson/progress')

/** List attempts at a lesson. */
export const listAttempts = /* @__PURE__ */ operation<{ lessonId: string; classId?: string; studentId?: string; lessonResultId?: string; page?: number; limit?: number }, LessonProgressHistory>('listAttempts', 'GET', '/edu/v1/lesson/progress/history')

/** List lesson locks of a student. */
export const readLocks = /* @__PURE__ */ operation<{ classId: string; studentId?: string }, LessonLocks>('readLocks', 'GET', '/edu/v1/lesson/progress/lock')

/** Get a lesson's lock reason. */
export const readLockReason = /* @__PURE__ */ operation<{ lessonId: string; classId?: string; studentId?: string }, LockReason>('readLockReason', 'GET', '/edu/v1/lesson/progress/lock/reason')

/** Start a lesson. */
export const startLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string }, LessonProgress>('startLesson', 'POST', '/edu/v1/lesson/progress/start')

/** Pause a lesson. */
export const pauseLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string }, LessonProgress>('pauseLesson', 'POST', '/edu/v1/lesson/progress/pause')

/** Resume a lesson. */
export const resumeLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string }, LessonProgress>('resumeLesson', 'POST', '/edu/v1/lesson/progress/resume')

/** Start idle time. */
export const idleLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string }, LessonProgress>('idleLesson', 'POST', '/edu/v1/lesson/progress/idle')

/** End idle time. */
export const activateLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string }, LessonProgress>('activateLesson', 'POST', '/edu/v1/lesson/progress/active')

/** Update an objective score. */
export const scoreObjective = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; studentId?: string; objectiveId?: string; score?: number }, ObjectiveScore>('scoreObjective', 'POST', '/edu/v1/lesson/progress/objective')

/** Stream class activity. */
export const watchClass = /* @__PURE__ */ stream<{ classId: string }, { ready: { classId: string; students?: ({ studentId: string; handle: string; name: string; lessonId: string | null; state: string | null; result: string | null; score: number | null; changedDate: string | null })[] }; change: { kind: string; studentId: string; handle: string; name: string; lessonId: string | null; objectiveId: string | null; state: string | null; result: string | null; score: number | null; changedDate: string | null }; reset: { classId: string; students: ({ studentId: string; handle: string; name: string; lessonId: string | null; state: string | null; result: string | null; score: number | null; changedDate: string | null })[] }; removed: { classId: string } }>('/edu/v1/class/events')

/** Launch a lesson. */
export const launchLesson = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string; allow?: boolean }, LaunchAddress>('launchLesson', 'POST', '/edu/v1/lesson/launch')

/** Grade an attempt. */
export const gradeAttempt = /* @__PURE__ */ operation<{ lessonId?: string; studentId?: string; classId?: string; lessonResultId?: string; pass?: boolean; score?: number; reason?: string }, LessonProgress>('gradeAttempt', 'POST', '/edu/v1/lesson/progress/grade')

/** Grant extra attempts. */
export const grantAttempts = /* @__PURE__ */ operation<{ lessonId?: string; studentId?: string; classId?: string; count?: number; reason?: string }, AttemptsLeft>('grantAttempts', 'POST', '/edu/v1/lesson/progress/extra')

/** Reset a lesson for a student. */
export const resetLesson = /* @__PURE__ */ operation<{ lessonId?: string; studentId?: string; classId?: string; reason?: string }, Success>('resetLesson', 'POST', '/edu/v1/lesson/progress/reset')

/** List grade changes. */
export const listGradeChanges = /* @__PURE__ */ operation<{ lessonId: string; classId?: string; studentId?: string }, GradeChanges>('listGradeChanges', 'GET', '/edu/v1/lesson/progress/changes')

/** List attempts to grade. */
export const listAwaiting = /* @__PURE__ */ operation<{ classId?: string; sort?: "completed" | "-completed" | "student" | "-student" | "lesson" | "-lesson"; page?: number; limit?: number }, AwaitingPage>('listAwaiting', 'GET', '/edu/v1/class/grading')

/** List dates of a class. */
export const listDates = /* @__PURE__ */ operation<{ classId: string; studentId?: string }, ClassDates>('listDates', 'GET', '/edu/v1/class/dates')

/** Set dates of a class. */
export const setDates = /* @__PURE__ */ operation<{ classId: string; dates: ({ lessonId?: string; studentId?: string; opens?: string | null; due?: string | null; closes?: string | null })[] }, ClassDates>('setDates', 'PUT', '/edu/v1/class/dates')

/** Delete dates of a class. */
export const clearDates = /* @__PURE__ */ operation<{ classId: string; lessonId?: string; studentId?: string }, ClassDates>('clearDates', 'POST', '/edu/v1/class/dates/clear')

/** Record evaluations. */
export const recordEvaluations = /* @__PURE__ */ operation<{ classId: string; lessonId: string; evaluations: ({ evaluationId: string; studentId: string; criteria?: ({ id: string; points: number | null })[]; score?: number; pass?: boolean; remarks?: string; startTime: string; endTime?: string })[] }, RecordedEvaluations>('recordEvaluations', 'POST', '/edu/v1/evaluation')

/** Get an evaluation. */
export const readEvaluation = /* @__PURE__ */ operation<{ evaluationId: string }, Evaluation>('readEvaluation', 'GET', '/edu/v1/evaluation')

/** List evaluations. */
export const listEvaluations = /* @__PURE__ */ operation<{ classId?: string; lessonId?: string; studentId?: string; acknowledged?: boolean; page?: number; limit?: number }, EvaluationPage>('listEvaluations', 'GET', '/edu/v1/evaluation/list')

/** Acknowledge an evaluation. */
export const acknowledgeEvaluation = /* @__PURE__ */ operation<{ evaluationId?: string; version?: number; comment?: string }, Evaluation>('acknowledgeEvaluation', 'POST', '/edu/v1/evaluation/acknowledge')

/** Change an evaluation. */
export const changeEvaluation = /* @__PURE__ */ operation<{ evaluationId?: string; criteria?: ({ id: string; points: number | null })[]; score?: number; pass?: boolean; remarks?: string; reason?: string }, Evaluation>('changeEvaluation', 'POST', '/edu/v1/evaluation/change')

/** List notes. */
export const listNotes = /* @__PURE__ */ operation<{ lessonId?: string; userId?: string; classId?: string; studentId?: string; courseId?: string; lessondId?: string; page?: number; limit?: number }, Notes | NotePage>('listNotes', 'GET', '/edu/v1/note/list')

/** Get a note. */
export const readNote = /* @__PURE__ */ operation<{ noteId: string }, Note>('readNote', 'GET', '/edu/v1/note')

/** Create a note. */
export const createNote = /* @__PURE__ */ operation<{ text: string; lessonId?: string; userId?: string; classId?: string; studentId?: string; courseId?: string; lessondId?: string }, Note>('createNote', 'PUT', '/edu/v1/note')

/** Delete a note. */
export const removeNote = /* @__PURE__ */ operation<{ noteId?: string }, Success>('removeNote', 'POST', '/edu/v1/note/remove')

/** Create an announcement. */
export const createAnnouncement = /* @__PURE__ */ operation<{ announcementId?: string; classId?: string; organisation?: string; title: string; text: string }, Announcement>('createAnnouncement', 'PUT', '/edu/v1/announcement')

/** Get an announcement. */
export const readAnnouncement = /* @__PURE__ */ operation<{ announcementId: string }, Announcement>('readAnnouncement', 'GET', '/edu/v1/announcement')

/** List announcements. */
export const listAnnouncements = /* @__PURE__ */ operation<{ classId?: string; organisation?: string; page?: number; limit?: number }, AnnouncementPage>('listAnnouncements', 'GET', '/edu/v1/announcement/list')

/** Delete an announcement. */
export const deleteAnnouncement = /* @__PURE__ */ operation<{ announcementId?: string }, Success>('deleteAnnouncement', 'POST', '/edu/v1/announcement/remove')

/** Get your agenda. */
export const readAgenda = /* @__PURE__ */ operation<Record<never, never>, Agenda>('readAgenda', 'GET', '/edu/v1/agenda')

/** List dates of your classes. */
export const listCalendar = /* @__PURE__ */ operation<{ from: string; to: string; classId?: string }, Calendar>('listCalendar', 'GET', '/edu/v1/calendar')

/** Get your calendar address. */
export const readCalendarFeed = /* @__PURE__ */ operation<Record<never, never>, CalendarFeed>('readCalendarFeed', 'GET', '/edu/v1/calendar/feed')

/** Create a calendar address. */
export const createCalendarFeed = /* @__PURE__ */ operation<Record<never, never>, NewCalendarFeed>('createCalendarFeed', 'POST', '/edu/v1/calendar/feed')

/** Delete your calendar address. */
export const deleteCalendarFeed = /* @__PURE__ */ operation<Record<never, never>, Success>('deleteCalendarFeed', 'DELETE', '/edu/v1/calendar/feed')

/** Get a calendar file. */
export const readCalendarFile = /* @__PURE__ */ address<{ file: string }>('/calendar/{file}')

/** Upload a file. */
export const uploadFile = /* @__PURE__ */ upload<{ organisation: string; name: string }, StoredFile>('uploadFile', 'POST', '/edu/v1/file')

/** List files. */
export const listFiles = /* @__PURE__ */ operation<{ organisation: string; query?: string; type?: "image" | "video" | "audio" | "pdf" | "captions" | "document"; fileIds?: string[] | string; sort?: "name" | "-name" | "bytes" | "-bytes" | "created" | "-created"; page?: number; limit?: number }, FilePage>('listFiles', 'GET', '/edu/v1/file/list')

/** Delete a file. */
export const deleteFile = /* @__PURE__ */ operation<{ fileId: string }, Success>('deleteFile', 'POST', '/edu/v1/file/remove')

/** Get the storage used by files. */
export const readFileUsage = /* @__PURE__ */ operation<{ organisation: string }, FileUsage>('readFileUsage', 'GET', '/edu/v1/file/usage')

/** List the storage of organisations. */
export const listOrganisationStorage = /* @__PURE__ */ operation<{ query?: string; sort?: "name" | "-name" | "used" | "-used"; page?: number; limit?: number }, OrganisationStoragePage>('listOrganisationStorage', 'GET', '/edu/v1/file/storage')

/** Set the storage for files. */
export const setFileLimit = /* @__PURE__ */ operation<{ organisation: string; limitBytes?: number }, FileUsage>('setFileLimit', 'POST', '/edu/v1/file/limit')

/** Upload a content package. */
export const uploadPackage = /* @__PURE__ */ upload<{ organisation: string; name?: string }, PackageDetails>('uploadPackage', 'POST', '/edu/v1/package')

/** Get a content package. */
export const readPackage = /* @__PURE__ */ operation<{ packageId: string }, PackageDetails>('readPackage', 'GET', '/edu/v1/package')

/** Begin to upload a package in parts. */
export const createPackageUpload = /* @__PURE__ */ operation<{ organisation: string; name: string; bytes: number }, PackageUpload>('createPackageUpload', 'POST', '/edu/v1/package/upload')

/** Get the state of an upload. */
export const readPackageUpload = /* @__PURE__ */ operation<{ uploadId: string }, PackageUpload>('readPackageUpload', 'GET', '/edu/v1/package/upload')

/** Send a part of a package. */
export const storePackagePart = /* @__PURE__ */ upload<{ uploadId: string; offset: number }, PackageUpload>('storePackagePart', 'PUT', '/edu/v1/package/upload/part')

/** Complete an upload in parts. */
export const finishPackageUpload = /* @__PURE__ */ operation<{ uploadId: string }, PackageDetails>('finishPackageUpload', 'POST', '/edu/v1/package/upload/finish')

/** Delete an upload in parts. */
export const deletePackageUpload = /* @__PURE__ */ operation<{ uploadId: string }, Success>('deletePackageUpload', 'POST', '/edu/v1/package/upload/delete')

/** List content packages. */
export const listPackages = /* @__PURE__ */ operation<{ organisation: string; query?: string; page?: number; limit?: number }, ContentPackagePage>('listPackages', 'GET', '/edu/v1/packages')

/** List the items of a content package. */
export const listPackageItems = /* @__PURE__ */ operation<{ packageId: string; page?: number; limit?: number }, PackageItemPage>('listPackageItems', 'GET', '/edu/v1/package/items')

/** Delete a content package. */
export const deletePackage = /* @__PURE__ */ operation<{ packageId: string }, Success>('deletePackage', 'POST', '/edu/v1/package/delete')

/** List questions. */
export const listQuestions = /* @__PURE__ */ operation<{ organisation: string; query?: string; tag?: string; kind?: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; questions?: string[] | string; archived?: boolean; page?: number; limit?: number }, QuestionPage>('listQuestions', 'GET', '/edu/v1/question/list')

/** List tags of questions. */
export const listQuestionTags = /* @__PURE__ */ operation<{ organisation: string }, QuestionTags>('listQuestionTags', 'GET', '/edu/v1/question/tags')

/** Get a question. */
export const readQuestion = /* @__PURE__ */ operation<{ questionId: string }, Question>('readQuestion', 'GET', '/edu/v1/question')

/** Create a question. */
export const createQuestion = /* @__PURE__ */ operation<{ organisation: string; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; text: string; points?: number; explanation?: string; tags?: string[]; options?: ({ text: string; correct?: boolean; feedback?: string })[]; items?: string[]; pairs?: ({ prompt: string; match: string })[]; distractors?: string[]; answer?: number; tolerance?: number; unit?: string; accepted?: string[]; caseSensitive?: boolean; guidance?: string }, Question>('createQuestion', 'PUT', '/edu/v1/question')

/** Replace a question. */
export const changeQuestion = /* @__PURE__ */ operation<{ questionId: string; revision?: number; kind: "single" | "multiple" | "ordering" | "matching" | "numeric" | "text" | "essay"; text: string; points?: number; explanation?: string; tags?: string[]; options?: ({ text: string; correct?: boolean; feedback?: string })[]; items?: string[]; pairs?: ({ prompt: string; match: string })[]; distractors?: string[]; answer?: number; tolerance?: number; unit?: string; accepted?: string[]; caseSensitive?: boolean; guidance?: string }, Question>('changeQuestion', 'POST', '/edu/v1/question')

/** Archive a question. */
export const archiveQuestion = /* @__PURE__ */ operation<{ questionId?: string; archived?: boolean }, Question>('archiveQuestion', 'POST', '/edu/v1/question/archive')

/** Start a quiz. */
export const startQuiz = /* @__PURE__ */ operation<{ lessonId?: string; classId?: string }, QuizAttempt>('startQuiz', 'POST', '/edu/v1/quiz/start')

/** Get an attempt at a quiz. */
export const readQuizAttempt = /* @__PURE__ */ operation<{ lessonResultId: string; from?: number }, QuizAttempt>('readQuizAttempt', 'GET', '/edu/v1/quiz/attempt')

/** Set an answer in a quiz. */
export const saveQuizAnswer = /* @__PURE__ */ operation<{ lessonResultId: string; questionId: string; response: unknown; final?: boolean }, QuizQuestion>('saveQuizAnswer', 'POST', '/edu/v1/quiz/answer')

/** Complete a quiz. */
export const submitQuiz = /* @__PURE__ */ operation<{ lessonResultId?: string }, QuizAttempt>('submitQuiz', 'POST', '/edu/v1/quiz/submit')

/** Grade an answer in a quiz. */
export const gradeQuizAnswer = /* @__PURE__ */ operation<{ lessonResultId: string; questionId: string; points: number; remark?: string }, QuizQuestion>('gradeQuizAnswer', 'POST', '/edu/v1/quiz/grade')

/** Get results per question. */
export const readQuizResults = /* @__PURE__ */ operation<{ classId: string; lessonId: string; page?: number; limit?: number }, QuizResultsPage>('readQuizResults', 'GET', '/edu/v1/quiz/results')

/** Get an assessment. */
export const readAssessment = /* @__PURE__ */ operation<{ lessonId: string; classId?: string }, Lesson>('readAssessment', 'GET', '/edu/v1/assessment')

/** Get assessment progress. */
export const readAssessmentProgress = /* @__PURE__ */ operation<{ lessonId: string; classId?: string; studentId?: string }, LessonProgress>('readAssessmentProgress', 'GET', '/edu/v1/assessment/progress')

/** Send an xAPI statement. */
export const captureStatement = /* @__PURE__ */ operation<{ id?: string; actor: unknown; verb: unknown; object: unknown; result?: unknown; context?: unknown; timestamp?: string; authority?: unknown }, Captured>('captureStatement', 'POST', '/edu/v2/xapi/statement')

/** Send an xAPI statement (v1). */
export const captureSimpleStatement = /* @__PURE__ */ operation<{ actor: string; verb: string; object: Record<string, unknown> | string; timestamp?: string }, Captured>('captureSimpleStatement', 'POST', '/edu/v1/xapi/statement')

/** List xAPI verbs. */
export const listVerbs = /* @__PURE__ */ operation<Record<never, never>, Verbs>('listVerbs', 'GET', '/edu/v1/xapi/verbs')

/** Create an xAPI verb. */
export const addVerb = /* @__PURE__ */ operation<{ verbId: string; name: string }, Verb>('addVerb', 'PUT', '/edu/v1/xapi/verbs')

/** Delete an xAPI verb. */
export const removeVerb = /* @__PURE__ */ operation<{ verbId: string }, Success>('removeVerb', 'POST', '/edu/v1/xapi/verbs/remove')

/** List a student's results. */
export const readResults = /* @__PURE__ */ operation<{ classId: string; studentId?: string }, Results>('readResults', 'GET', '/edu/v1/class/result')

/** Get a student's timeline. */
export const readTimeline = /* @__PURE__ */ operation<{ studentId?: string; classId?: string; before?: string; limit?: number }, Timeline>('readTimeline', 'GET', '/edu/v1/class/timeline')

/** Get a gradebook. */
export const readGradebook = /* @__PURE__ */ operation<{ classId: string; search?: string; sort?: "name" | "-name" | "result" | "-result" | "passed" | "-passed" | "mean" | "-mean"; lessonId?: string; state?: "waiting" | "failed" | "incomplete" | "in progress" | "passed" | "not started" | "late" | "overdue"; stateLessonId?: string; page?: number; limit?: number }, Gradebook>('readGradebook', 'GET', '/edu/v1/class/gradebook')

/** Get averages of a gradebook. */
export const readGradebookAverages = /* @__PURE__ */ operation<{ classId: string }, GradebookAverages>('readGradebookAverages', 'GET', '/edu/v1/class/gradebook/averages')

/** Export a gradebook as CSV. */
export const exportGradebook = /* @__PURE__ */ address<{ classId: string }>('/edu/v1/class/gradebook/csv')

/** Store xAPI statements. */
export const sendStatements = /* @__PURE__ */ upload<Record<never, never>, unknown>('sendStatements', 'POST', '/xapi/statements', {"X-Experience-API-Version":"2.0.0"})

/** Store an xAPI statement by id. */
export const putStatement = /* @__PURE__ */ upload<{ statementId: string }, Blob>('putStatement', 'PUT', '/xapi/statements', {"X-Experience-API-Version":"2.0.0"})

/** List xAPI statements. */
export const getStatements = /* @__PURE__ */ operation<{ agent?: Record<string, unknown> | string; verb?: string; activity?: string; registration?: string; related_activities?: boolean; related_agents?: boolean; since?: string; until?: string; statementId?: string; voidedStatementId?: string; limit?: number; format?: string; attachments?: boolean; ascending?: boolean; cursor?: string }, unknown>('getStatements', 'GET', '/xapi/statements', {"X-Experience-API-Version":"2.0.0"})

/** Get an activity. */
export const getActivity = /* @__PURE__ */ operation<{ activityId: string }, unknown>('getActivity', 'GET', '/xapi/activities', {"X-Experience-API-Version":"2.0.0"})

/** Get an agent. */
export const getAgent = /* @__PURE__ */ operation<{ agent: Record<string, unknown> | string }, unknown>('getAgent', 'GET', '/xapi/agents', {"X-Experience-API-Version":"2.0.0"})

/** Get xAPI versions. */
export const getAbout = /* @__PURE__ */ operation<Record<never, never>, unknown>('getAbout', 'GET', '/xapi/about')

/** Store a state document. */
export const putState = /* @__PURE__ */ upload<{ activityId: string; agent: Record<string, unknown> | string; registration?: string; stateId: string }, Blob>('putState', 'PUT', '/xapi/activities/state', {"X-Experience-API-Version":"2.0.0"})

/** Merge a state document. */
export const mergeState = /* @__PURE__ */ upload<{ activityId: string; agent: Record<string, unknown> | string; registration?: string; stateId: string }, Blob>('mergeState', 'POST', '/xapi/activities/state', {"X-Experience-API-Version":"2.0.0"})

/** Get a state document. */
export const readState = /* @__PURE__ */ address<{ activityId: string; agent: Record<string, unknown> | string; registration?: string; stateId?: string; since?: string }>('/xapi/activities/state')

/** Delete a state document. */
export const deleteState = /* @__PURE__ */ operation<{ activityId: string; agent: Record<string, unknown> | string; registration?: string; stateId?: string }, Blob>('deleteState', 'DELETE', '/xapi/activities/state', {"X-Experience-API-Version":"2.0.0"})

/** Store an activity profile document. */
export const putActivityProfile = /* @__PURE__ */ upload<{ activityId: string; profileId: string }, Blob>('putActivityProfile', 'PUT', '/xapi/activities/profile', {"X-Experience-API-Version":"2.0.0"})

/** Merge an activity profile document. */
export const mergeActivityProfile = /* @__PURE__ */ upload<{ activityId: string; profileId: string }, Blob>('mergeActivityProfile', 'POST', '/xapi/activities/profile', {"X-Experience-API-Version":"2.0.0"})

/** Get an activity profile document. */
export const readActivityProfile = /* @__PURE__ */ address<{ activityId: string; profileId?: string; since?: string }>('/xapi/activities/profile')

/** Delete an activity profile document. */
export const deleteActivityProfile = /* @__PURE__ */ operation<{ activityId: string; profileId: string }, Blob>('deleteActivityProfile', 'DELETE', '/xapi/activities/profile', {"X-Experience-API-Version":"2.0.0"})

/** Store an agent profile document. */
export const putAgentProfile = /* @__PURE__ */ upload<{ agent: Record<string, unknown> | string; profileId: string }, Blob>('putAgentProfile', 'PUT', '/xapi/agents/profile', {"X-Experience-API-Version":"2.0.0"})

/** Merge an agent profile document. */
export const mergeAgentProfile = /* @__PURE__ */ upload<{ agent: Record<string, unknown> | string; profileId: string }, Blob>('mergeAgentProfile', 'POST', '/xapi/agents/profile', {"X-Experience-API-Version":"2.0.0"})

/** Get an agent profile document. */
export const readAgentProfile = /* @__PURE__ */ address<{ agent: Record<string, unknown> | string; profileId?: string; since?: string }>('/xapi/agents/profile')

/** Delete an agent profile document. */
export const deleteAgentProfile = /* @__PURE__ */ operation<{ agent: Record<string, unknown> | string; profileId: string }, Blob>('deleteAgentProfile', 'DELETE', '/xapi/agents/profile', {"X-Experience-API-Version":"2.0.0"})

/** Get your record store identity. */
export const readStoreIdentity = /* @__PURE__ */ operation<Record<never, never>, StoreIdentity>('readStoreIdentity', 'GET', '/lrs/v1/whoami')

/** Create a record store key. */
export const makeCredential = /* @__PURE__ */ operation<{ name: string; scopes: string[] | string; authority?: Record<string, unknown> | string; expiresDate?: string; usesLibrary?: boolean }, NewCredential>('makeCredential', 'PUT', '/lrs/v1/credentials')

/** List record store keys. */
export const listCredentials = /* @__PURE__ */ operation<{ sort?: "created" | "-created" | "name" | "-name" | "used" | "-used" | "expires" | "-expires"; page?: number; limit?: number }, CredentialPage>('listCredentials', 'GET', '/lrs/v1/credentials')

/** Update a record store key. */
export const changeCredential = /* @__PURE__ */ operation<{ key: string; name?: string; scopes?: string[] | string; expiresDate?: string; neverExpires?: boolean; suspended?: boolean; usesLibrary?: boolean }, Credential>('changeCredential', 'POST', '/lrs/v1/credentials')

/** Revoke a record store key. */
export const revokeCredential = /* @__PURE__ */ operation<{ key: string }, Success>('revokeCredential', 'POST', '/lrs/v1/credentials/revoke')

/** Create a secret for a key. */
export const addCredentialSecret = /* @__PURE__ */ operation<{ key: string }, NewStoreSecret>('addCredentialSecret', 'PUT', '/lrs/v1/credentials/secret')

/** Revoke old secrets of a key. */
export const dropOldCredentialSecret = /* @__PURE__ */ operation<{ key: string }, Credential>('dropOldCredentialSecret', 'POST', '/lrs/v1/credentials/secret/drop')

/** Launch a lesson of a content package. */
export const launchPackageLesson = /* @__PURE__ */ operation<{ lessonId: string; classId: string; mode?: "Normal" | "Browse" | "Review" }, PackageLaunch>('launchPackageLesson', 'POST', '/edu/v1/package/launch')

/** Preview a unit of a content package. */
export const previewPackageItem = /* @__PURE__ */ operation<{ packageId: string; item: number }, PackageLaunch>('previewPackageItem', 'POST', '/edu/v1/package/preview')

/** Get what content has reported. */
export const readPackageLesson = /* @__PURE__ */ operation<{ lessonId: string; classId: string; studentId?: string }, PackageLesson>('readPackageLesson', 'GET', '/edu/v1/package/lesson')

/** List sessions with content packages. */
export const listPackageSessions = /* @__PURE__ */ operation<{ classId: string; lessonId?: string; page?: number; limit?: number }, PackageSessionPage>('listPackageSessions', 'GET', '/edu/v1/package/sessions')

/** Waive a lesson of a content package. */
export const waivePackageLesson = /* @__PURE__ */ operation<{ lessonId: string; classId: string; studentId: string; reason: string }, Success>('waivePackageLesson', 'POST', '/edu/v1/package/waive')

/** End a session with a content package. */
export const endPackageSession = /* @__PURE__ */ operation<{ sessionId: string }, Success>('endPackageSession', 'POST', '/edu/v1/package/session/end')

/** Fetch the credential of a launch. */
export const fetchLaunchCredential = /* @__PURE__ */ operation<{ token: string }, unknown>('fetchLaunchCredential', 'POST', '/cmi5/v1/fetch')

/** Get the session of a SCORM player. */
export const readScormSession = /* @__PURE__ */ operation<Record<never, never>, ScormSession>('readScormSession', 'GET', '/scorm/v1/session')

/** Save the data of a SCORM item. */
export const commitScorm = /* @__PURE__ */ operation<{ item: number; sequence: number; cmi: Record<string, unknown> | string; partial?: boolean; shared?: Record<string, unknown> | string; exit?: "suspend" | "normal" | "logout" | "time-out"; finished?: boolean; ended?: boolean; sessionSeconds?: number }, SavedScorm>('commitScorm', 'POST', '/scorm/v1/commit')

/** Count xAPI statements. */
export const countStatements = /* @__PURE__ */ operation<{ agent?: Record<string, unknown> | string; verb?: string; activity?: string; registration?: string; related_activities?: boolean; related_agents?: boolean; since?: string; until?: string }, StatementCount>('countStatements', 'GET', '/lrs/v1/statements/count')

/** Aggregate xAPI statements. */
export const aggregateStatements = /* @__PURE__ */ operation<{ agent?: Record<string, unknown> | string; verb?: string; activity?: string; registration?: string; related_activities?: boolean; related_agents?: boolean; since?: string; until?: string; by: "verb" | "activity" | "agent" | "day"; limit?: number }, StatementGroups>('aggregateStatements', 'GET', '/lrs/v1/statements/aggregate')

/** Stream xAPI statements. */
export const streamStatements = /* @__PURE__ */ stream<{ agent?: Record<string, unknown> | string; verb?: string; activity?: string; registration?: string; related_activities?: boolean; related_agents?: boolean; since?: string; authorization?: string }, { ready: { through: string }; statement: unknown; reset: { through: string } }>('/lrs/v1/statements/stream')

/** Export xAPI statements as JSONL. */
export const exportStatements = /* @__PURE__ */ address<{ agent?: Record<string, unknown> | string; verb?: string; activity?: string; registration?: string; related_activities?: boolean; related_agents?: boolean; since?: string; until?: string; after?: string; voided?: boolean }>('/lrs/v1/statements/export')

/** Validate xAPI statements. */
export const validateStatements = /* @__PURE__ */ upload<{ version?: "1.0.3" | "2.0.0" }, StatementValidation>('validateStatements', 'POST', '/lrs/v1/statements/validate')

/** Delete old xAPI statements. */
export const removeOldStatements = /* @__PURE__ */ operation<{ before: string; dryRun?: boolean }, RemovedStatements>('removeOldStatements', 'POST', '/lrs/v1/statements/retention')

/** Create a plugin. */
export const registerPlugin = /* @__PURE__ */ operation<{ kind: "ai" | "ato"; name: string; organisation: string; description?: string; key?: string; addresses?: { request?: string | null; distributions?: string | null; capabilities?: string | null; candidates?: string | null }; redirectUris?: string[] | string; permissions?: string[] | string }, NewPlugin>('registerPlugin', 'PUT', '/plugin/v1/plugin')

/** Update a plugin. */
export const changePlugin = /* @__PURE__ */ operation<{ clientId: string; name?: string; description?: string; addresses?: { request?: string | null; distributions?: string | null; capabilities?: string | null; candidates?: string | null }; redirectUris?: string[] | string; permissions?: string[] | string }, Plugin>('changePlugin', 'POST', '/plugin/v1/plugin')

/** Get a plugin. */
export const readPlugin = /* @__PURE__ */ operation<{ clientId: string }, Plugin>('readPlugin', 'GET', '/plugin/v1/plugin')

/** List plugins. */
export const listPlugins = /* @__PURE__ */ operation<{ organisation?: string; page?: number; limit?: number }, PluginPage>('listPlugins', 'GET', '/plugin/v1/plugin/list')

/** Activate or deactivate a plugin. */
export const activatePlugin = /* @__PURE__ */ operation<{ clientId: string; active: boolean }, Plugin>('activatePlugin', 'POST', '/plugin/v1/plugin/activate')

/** Delete a plugin. */
export const removePlugin = /* @__PURE__ */ operation<{ clientId: string }, Success>('removePlugin', 'POST', '/plugin/v1/plugin/remove')

/** Create a plugin secret. */
export const addPluginSecret = /* @__PURE__ */ operation<{ clientId: string }, NewPluginSecret>('addPluginSecret', 'PUT', '/plugin/v1/plugin/secret')

/** Revoke old plugin secrets. */
export const dropOldPluginSecret = /* @__PURE__ */ operation<{ clientId: string }, Plugin>('dropOldPluginSecret', 'POST', '/plugin/v1/plugin/secret/drop')

/** Set plugin permissions. */
export const grantPluginPermissions = /* @__PURE__ */ operation<{ clientId: string; permissions: string[] | string }, Plugin>('grantPluginPermissions', 'POST', '/plugin/v1/plugin/permissions')

/** Set a plugin's access. */
export const giveOrganisationToPlugin = /* @__PURE__ */ operation<{ clientId: string; organisation: string; given: boolean }, Success>('giveOrganisationToPlugin', 'POST', '/plugin/v1/plugin/organisation')

/** Update an ATO request status. */
export const reportAtoStatus = /* @__PURE__ */ operation<{ requestId: string; status?: "not-started" | "in-progress" | "action-required" | "under-review" | "completed"; complete?: boolean; cancellable?: boolean }, Success>('reportAtoStatus', 'POST', '/plugin/v1/ato/status')

/** Send an ATO alert. */
export const reportAtoAlert = /* @__PURE__ */ operation<{ requestId: string; title: string; text?: string; providerId?: string; status?: string; type?: "info" | "success" | "warning" | "error" }, Success>('reportAtoAlert', 'POST', '/plugin/v1/ato/alert')

/** Create an ATO package. */
export const addAtoPackage = /* @__PURE__ */ operation<{ clientId: string; name: string; companyPhone?: string }, AtoPackage>('addAtoPackage', 'PUT', '/plugin/v1/ato/package')

/** Get an ATO package. */
export const readAtoPackage = /* @__PURE__ */ operation<{ packageId: string }, AtoPackage>('readAtoPackage', 'GET', '/plugin/v1/ato/package')

/** List ATO packages. */
export const listAtoPackages = /* @__PURE__ */ operation<{ clientId: string; page?: number; limit?: number }, AtoPackagePage>('listAtoPackages', 'GET', '/plugin/v1/ato/package/list')

/** Delete an ATO package. */
export const removeAtoPackage = /* @__PURE__ */ operation<{ packageId: string }, Success>('removeAtoPackage', 'POST', '/plugin/v1/ato/package/remove')

/** Create an ATO distribution. */
export const addAtoDistribution = /* @__PURE__ */ operation<{ packageId: string; name: string; platform?: string; version?: string; uri: string }, AtoPackage>('addAtoDistribution', 'PUT', '/plugin/v1/ato/distribution')

/** Delete an ATO distribution. */
export const removeAtoDistribution = /* @__PURE__ */ operation<{ distributionId: string }, AtoPackage>('removeAtoDistribution', 'POST', '/plugin/v1/ato/distribution/remove')

/** Start an ATO request. */
export const startAtoRequest = /* @__PURE__ */ operation<{ packageId: string; pluginClientId: string }, AtoRequest>('startAtoRequest', 'PUT', '/plugin/v1/ato/request')

/** Get an ATO request. */
export const readAtoRequest = /* @__PURE__ */ operation<{ requestId: string }, AtoRequest>('readAtoRequest', 'GET', '/plugin/v1/ato/request')

/** List ATO requests. */
export const listAtoRequests = /* @__PURE__ */ operation<{ clientId: string; packageId?: string; page?: number; limit?: number }, AtoRequestPage>('listAtoRequests', 'GET', '/plugin/v1/ato/request/list')

/** Cancel an ATO request. */
export const cancelAtoRequest = /* @__PURE__ */ operation<{ requestId: string }, AtoRequest>('cancelAtoRequest', 'POST', '/plugin/v1/ato/request/cancel')

/** Open an ATO request. */
export const openAtoRequest = /* @__PURE__ */ operation<{ requestId: string; allow?: boolean }, AtoRequestOpened>('openAtoRequest', 'POST', '/plugin/v1/ato/request/open')

/** List ATO plugins. */
export const listAtoPlugins = /* @__PURE__ */ operation<{ page?: number; limit?: number }, AtoPluginPage>('listAtoPlugins', 'GET', '/plugin/v1/ato/plugins')

/** List learning records. */
export const readRecords = /* @__PURE__ */ operation<{ orgIds?: string[] | string; page?: number; limit?: number }, LearningRecords>('readRecords', 'GET', '/plugin/v2/ai/record-data')

/** Set additional information. */
export const setAdditionalInfo = /* @__PURE__ */ operation<{ userId: string; info: unknown }, AdditionalInfo>('setAdditionalInfo', 'POST', '/plugin/v2/ai/additional-info')

/** Get a user's skills. */
export const readOtherSkills = /* @__PURE__ */ operation<{ userId: string }, OtherSkills>('readOtherSkills', 'GET', '/plugin/v2/ai/other-skills')

/** Create a badge as a plugin. */
export const addPluginBadge = /* @__PURE__ */ operation<{ name: string; description?: string; type?: string; image?: string; issuerName?: string; criteria?: string; courseId?: string; objectiveId?: string }, Badge>('addPluginBadge', 'POST', '/plugin/v2/ai/badge')

/** List course badges. */
export const listCourseBadges = /* @__PURE__ */ operation<{ orgIds?: string[] | string; courseId?: string; page?: number; limit?: number }, Badges | BadgePage>('listCourseBadges', 'GET', '/plugin/v2/ai/badge/course')

/** List objective badges. */
export const listObjectiveBadges = /* @__PURE__ */ operation<{ orgIds?: string[] | string; objectiveId?: string; page?: number; limit?: number }, Badges | BadgePage>('listObjectiveBadges', 'GET', '/plugin/v2/ai/badge/objective')

/** Assert a badge. */
export const assertBadge = /* @__PURE__ */ operation<{ userId: string; badgeId: string; name: string; type: string; image: string; issuedOn: string; issuerName: string; lessonId?: string; classId?: string; versionId?: string }, BadgeAssertion>('assertBadge', 'POST', '/plugin/v2/ai/badge/assertion')

/** List a user's badges. */
export const listAssertions = /* @__PURE__ */ operation<{ userId: string; page?: number; limit?: number }, BadgeAssertions | BadgeAssertionPage>('listAssertions', 'GET', '/plugin/v2/ai/badge/assertion')

/** Create a badge. */
export const addBadge = /* @__PURE__ */ operation<{ name: string; description?: string; type?: string; image?: string; issuerName?: string; criteria?: string; courseId?: string; objectiveId?: string }, Badge>('addBadge', 'PUT', '/edu/v1/badge')

/** Update a badge. */
export const changeBadge = /* @__PURE__ */ operation<{ badgeId: string; name?: string; description?: string; type?: string; image?: string; issuerName?: string; criteria?: string }, Badge>('changeBadge', 'POST', '/edu/v1/badge')

/** Delete a badge. */
export const removeBadge = /* @__PURE__ */ operation<{ badgeId: string }, Success>('removeBadge', 'POST', '/edu/v1/badge/remove')

/** List badges of an organisation. */
export const listBadges = /* @__PURE__ */ operation<{ organisation: string; courseId?: string; page?: number; limit?: number }, BadgePage>('listBadges', 'GET', '/edu/v1/badge/list')

/** List your badges. */
export const listOwnBadges = /* @__PURE__ */ operation<{ page?: number; limit?: number }, HeldBadgePage>('listOwnBadges', 'GET', '/edu/v1/badge/my')

/** List planner engines. */
export const listPlannerEngines = /* @__PURE__ */ operation<Record<never, never>, PlannerEngines>('listPlannerEngines', 'GET', '/planner/v1/engines')

/** Start a planner search. */
export const startPlannerSearch = /* @__PURE__ */ operation<{ text: string; organisations?: string[] | string; engines: string[] | string }, PlannerSearch>('startPlannerSearch', 'PUT', '/planner/v1/search')

/** Get a planner search. */
export const readPlannerSearch = /* @__PURE__ */ operation<{ searchId: string }, PlannerSearch>('readPlannerSearch', 'GET', '/planner/v1/search')

/** Search candidates. */
export const findCandidates = /* @__PURE__ */ operation<{ searchId: string; capabilityIds: string[] | string; limit?: number }, Candidates>('findCandidates', 'POST', '/planner/v1/search/candidates')

/** List your planner searches. */
export const listPlannerSearches = /* @__PURE__ */ operation<{ page?: number; limit?: number }, PlannerSearchPage>('listPlannerSearches', 'GET', '/planner/v1/search/list')

/** Create a plan. */
export const savePlan = /* @__PURE__ */ operation<{ name: string; notes?: string; searchId: string; people?: string[] | string }, Plan>('savePlan', 'PUT', '/planner/v1/plan')

/** Update a plan. */
export const changePlan = /* @__PURE__ */ operation<{ planId: string; name?: string; notes?: string; people?: string[] | string }, Plan>('changePlan', 'POST', '/planner/v1/plan')

/** Get a plan. */
export const readPlan = /* @__PURE__ */ operation<{ planId: string }, Plan>('readPlan', 'GET', '/planner/v1/plan')

/** List your plans. */
export const listPlans = /* @__PURE__ */ operation<{ own?: boolean; sort?: "name" | "-name" | "changed" | "-changed"; page?: number; limit?: number }, PlanPage>('listPlans', 'GET', '/planner/v1/plan/list')

/** Share a plan. */
export const sharePlan = /* @__PURE__ */ operation<{ planId: string; organisations?: string[] | string; people?: string[] | string }, Plan>('sharePlan', 'PUT', '/planner/v1/plan/share')

/** Stop sharing a plan. */
export const unsharePlan = /* @__PURE__ */ operation<{ planId: string; organisations?: string[] | string; people?: string[] | string }, Plan>('unsharePlan', 'POST', '/planner/v1/plan/unshare')

/** Delete a plan. */
export const removePlan = /* @__PURE__ */ operation<{ planId?: string }, Success>('removePlan', 'POST', '/planner/v1/plan/remove')

/** List plugin deliveries. */
export const listDeliveries = /* @__PURE__ */ operation<{ clientId: string; state?: "waiting" | "delivered" | "failed" | "replaced"; sort?: "created" | "-created"; page?: number; limit?: number }, DeliveryPage>('listDeliveries', 'GET', '/plugin/v1/delivery/list')

/** Get a plugin delivery. */
export const readDelivery = /* @__PURE__ */ operation<{ clientId: string; deliveryId: string }, DeliveryLog>('readDelivery', 'GET', '/plugin/v1/delivery')

/** Resend plugin deliveries. */
export const replayDeliveries = /* @__PURE__ */ operation<{ clientId: string; deliveryId?: string; from?: string; to?: string; state?: "waiting" | "delivered" | "failed" | "replaced" }, ReplayedDeliveries>('replayDeliveries', 'POST', '/plugin/v1/delivery/replay')

/** Search users as administrator. */
export const findPeople = /* @__PURE__ */ operation<{ query?: string; status?: "active" | "invited" | "expired" | "uninvited" | "disabled"; role?: "administrator" | "developer"; sort?: "handle" | "-handle" | "name" | "-name" | "created" | "-created"; page?: number; limit?: number }, FoundPeople>('findPeople', 'GET', '/admin/v1/person/list')

/** Get a user as administrator. */
export const readPerson = /* @__PURE__ */ operation<{ handle: string }, KnownPerson>('readPerson', 'GET', '/admin/v1/person')

/** Create a user. */
export const createPerson = /* @__PURE__ */ operation<{ handle?: string; firstName?: string; lastName?: string; email?: string; organisation?: string; role?: "owner" | "developer" | "instructor" | "member"; invite?: boolean; allowSameAddress?: boolean }, FoundPerson>('createPerson', 'PUT', '/admin/v1/person')

/** Update names or address of a user. */
export const correctPerson = /* @__PURE__ */ operation<{ handle: string; newHandle?: string; firstName?: string; lastName?: string; email?: string; allowSameAddress?: boolean }, FoundPerson>('correctPerson', 'POST', '/admin/v1/person')

/** Get names for xAPI statements. */
export const readNames = /* @__PURE__ */ operation<{ handles?: string[] | string; activities?: string[] | string }, Names>('readNames', 'GET', '/admin/v1/names')

/** End all sessions of a user. */
export const endSessionsOfPerson = /* @__PURE__ */ operation<{ handle: string; reason: string }, KnownPerson>('endSessionsOfPerson', 'POST', '/admin/v1/person/sessions/end')

/** Send a user a reset link. */
export const sendPasswordReset = /* @__PURE__ */ operation<{ handle: string }, Success>('sendPasswordReset', 'POST', '/admin/v1/person/password/reset')

/** Get the overview. */
export const readOverview = /* @__PURE__ */ operation<Record<never, never>, Overview>('readOverview', 'GET', '/admin/v1/overview')

/** Get the system status. */
export const readSystem = /* @__PURE__ */ operation<Record<never, never>, System>('readSystem', 'GET', '/admin/v1/system')

/** Set whether a user is administrator. */
export const setAdministrator = /* @__PURE__ */ operation<{ handle: string; administrator: boolean; reason: string }, FoundPerson>('setAdministrator', 'POST', '/admin/v1/person/administrator')

/** Resend the invitation of a user. */
export const resendPersonInvitation = /* @__PURE__ */ operation<{ handle: string }, FoundPerson>('resendPersonInvitation', 'POST', '/admin/v1/person/invitation/resend')

/** Withdraw the invitation of a user. */
export const withdrawPersonInvitation = /* @__PURE__ */ operation<{ handle: string }, Success>('withdrawPersonInvitation', 'POST', '/admin/v1/person/invitation/withdraw')

/** Disable a user. */
export const disablePerson = /* @__PURE__ */ operation<{ handle: string; reason: string }, FoundPerson>('disablePerson', 'POST', '/admin/v1/person/disable')

/** Enable a user. */
export const enablePerson = /* @__PURE__ */ operation<{ handle: string; reason: string }, FoundPerson>('enablePerson', 'POST', '/admin/v1/person/enable')

/** Get what deleting a user affects. */
export const readPersonDeletion = /* @__PURE__ */ operation<{ handle: string }, PersonDeletion>('readPersonDeletion', 'GET', '/admin/v1/person/deletion')

/** Delete a user. */
export const deletePerson = /* @__PURE__ */ operation<{ handle: string; reason: string }, Success>('deletePerson', 'POST', '/admin/v1/person/delete')

/** List audit log entries. */
export const listAudit = /* @__PURE__ */ operation<{ action?: "sign-in.password" | "sign-in.passkey" | "sign-in.reset" | "sign-in.sign-up" | "sign-in.basic" | "sign-in.code" | "sign-in.device" | "sign-in.implicit" | "sign-in.anonymous" | "sign-in.launch" | "sign-in.demo" | "sign-in.test" | "sign-in.provider" | "sign-in.failed" | "lockout.began" | "sign-out" | "sign-out.elsewhere" | "sign-out.forced" | "session.ended" | "sessions.ended" | "token.revoked" | "code.refused" | "consent.given" | "consent.denied" | "consent.scopes-withdrawn" | "consent.withdrawn" | "device.allowed" | "device.denied" | "device.code-wrong" | "sign-up.asked" | "person.added" | "person.disabled" | "person.enabled" | "person.removed" | "person.deleted" | "person.corrected" | "administrator.added" | "administrator.removed" | "email.changed" | "email.confirmed" | "password.changed" | "password.removed" | "password.reset" | "password.reset-asked" | "password.reset-link-made" | "password.reset-sent" | "password.invitation-sent" | "password.invitation-withdrawn" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "connection.added" | "connection.removed" | "connection.refused" | "calendar-feed.created" | "calendar-feed.deleted" | "passkey.counter" | "data.exported" | "child.added" | "child.changed" | "child.email" | "child.password" | "parent.added" | "parent.removed" | "organisation.created" | "organisation.renamed" | "organisation.course-authors" | "organisation.time-zone" | "organisation.storage" | "file.removed" | "lesson.waived" | "package.removed" | "organisation.sign-up" | "organisation.code-wrong" | "provider.connected" | "provider.changed" | "provider.mode" | "provider.removed" | "provider.domain-added" | "provider.domain-proven" | "provider.domain-lost" | "provider.domain-removed" | "provider.unlinked" | "member.set" | "member.removed" | "member.left" | "invitation.sent" | "invitation.resent" | "invitation.withdrawn" | "invitation.accepted" | "invitation.declined" | "app.added" | "app.changed" | "app.settings" | "app.storage" | "app.approved" | "app.suspended" | "app.looked-at" | "app.removed" | "app.secret-added" | "app.secrets-dropped" | "app.wrong-secret" | "plugin.activated" | "plugin.deactivated" | "plugin.address" | "plugin.address-off" | "plugin.permissions-asked" | "plugin.permissions-granted" | "plugin.organisation" | "deliveries.replayed" | "course.created" | "course.duplicated" | "course.drafted" | "course.draft-discarded" | "course.published" | "course.removed" | "question.created" | "question.changed" | "question.archived" | "question.restored" | "class.created" | "class.duplicated" | "class.changed" | "class.ended" | "class.reopened" | "announcement.created" | "announcement.deleted" | "staff.set" | "staff.removed" | "staff.left" | "student.added" | "student.joined" | "student.left" | "student.suspended" | "student.reinstated" | "student.dropped" | "student.transferred" | "lesson.locked" | "lesson.unlocked" | "lesson.lock-cleared" | "class.dates-set" | "gradebook.downloaded" | "plan.shared" | "plan.unshared" | "badge.created" | "badge.changed" | "badge.removed" | "verb.added" | "verb.removed" | "statements.removed" | "credential.added" | "credential.changed" | "credential.revoked" | "credential.secret-added" | "credential.secrets-dropped" | "credential.wrong-secret" | "import" | "secret-key.rotated" | "signing-key.created" | "signing-key.withdrawn" | "test-people.reset"; handle?: string; clientId?: string; from?: string; to?: string; limit?: number; cursor?: string }, AuditPage>('listAudit', 'GET', '/admin/v1/audit')

/** Export the audit log as CSV. */
export const exportAudit = /* @__PURE__ */ address<{ action?: "sign-in.password" | "sign-in.passkey" | "sign-in.reset" | "sign-in.sign-up" | "sign-in.basic" | "sign-in.code" | "sign-in.device" | "sign-in.implicit" | "sign-in.anonymous" | "sign-in.launch" | "sign-in.demo" | "sign-in.test" | "sign-in.provider" | "sign-in.failed" | "lockout.began" | "sign-out" | "sign-out.elsewhere" | "sign-out.forced" | "session.ended" | "sessions.ended" | "token.revoked" | "code.refused" | "consent.given" | "consent.denied" | "consent.scopes-withdrawn" | "consent.withdrawn" | "device.allowed" | "device.denied" | "device.code-wrong" | "sign-up.asked" | "person.added" | "person.disabled" | "person.enabled" | "person.removed" | "person.deleted" | "person.corrected" | "administrator.added" | "administrator.removed" | "email.changed" | "email.confirmed" | "password.changed" | "password.removed" | "password.reset" | "password.reset-asked" | "password.reset-link-made" | "password.reset-sent" | "password.invitation-sent" | "password.invitation-withdrawn" | "passkey.added" | "passkey.renamed" | "passkey.removed" | "connection.added" | "connection.removed" | "connection.refused" | "calendar-feed.created" | "calendar-feed.deleted" | "passkey.counter" | "data.exported" | "child.added" | "child.changed" | "child.email" | "child.password" | "parent.added" | "parent.removed" | "organisation.created" | "organisation.renamed" | "organisation.course-authors" | "organisation.time-zone" | "organisation.storage" | "file.removed" | "lesson.waived" | "package.removed" | "organisation.sign-up" | "organisation.code-wrong" | "provider.connected" | "provider.changed" | "provider.mode" | "provider.removed" | "provider.domain-added" | "provider.domain-proven" | "provider.domain-lost" | "provider.domain-removed" | "provider.unlinked" | "member.set" | "member.removed" | "member.left" | "invitation.sent" | "invitation.resent" | "invitation.withdrawn" | "invitation.accepted" | "invitation.declined" | "app.added" | "app.changed" | "app.settings" | "app.storage" | "app.approved" | "app.suspended" | "app.looked-at" | "app.removed" | "app.secret-added" | "app.secrets-dropped" | "app.wrong-secret" | "plugin.activated" | "plugin.deactivated" | "plugin.address" | "plugin.address-off" | "plugin.permissions-asked" | "plugin.permissions-granted" | "plugin.organisation" | "deliveries.replayed" | "course.created" | "course.duplicated" | "course.drafted" | "course.draft-discarded" | "course.published" | "course.removed" | "question.created" | "question.changed" | "question.archived" | "question.restored" | "class.created" | "class.duplicated" | "class.changed" | "class.ended" | "class.reopened" | "announcement.created" | "announcement.deleted" | "staff.set" | "staff.removed" | "staff.left" | "student.added" | "student.joined" | "student.left" | "student.suspended" | "student.reinstated" | "student.dropped" | "student.transferred" | "lesson.locked" | "lesson.unlocked" | "lesson.lock-cleared" | "class.dates-set" | "gradebook.downloaded" | "plan.shared" | "plan.unshared" | "badge.created" | "badge.changed" | "badge.removed" | "verb.added" | "verb.removed" | "statements.removed" | "credential.added" | "credential.changed" | "credential.revoked" | "credential.secret-added" | "credential.secrets-dropped" | "credential.wrong-secret" | "import" | "secret-key.rotated" | "signing-key.created" | "signing-key.withdrawn" | "test-people.reset"; handle?: string; clientId?: string; from?: string; to?: string }>('/admin/v1/audit/csv')

/** Check liveness. */
export const healthz = /* @__PURE__ */ operation<Record<never, never>, { status: "ok" }>('healthz', 'GET', '/healthz')

/** Check readiness. */
export const readyz = /* @__PURE__ */ operation<Record<never, never>, { status: "ready" }>('readyz', 'GET', '/readyz')

/** Get metrics. */
export const metrics = /* @__PURE__ */ address<Record<never, never>>('/metrics')

/** Get the OpenAPI document. */
export const openapi = /* @__PURE__ */ operation<Record<never, never>, Record<string, unknown>>('openapi', 'GET', '/openapi.json')

/** List the documentation for language models. */
export const listDocuments = /* @__PURE__ */ address<Record<never, never>>('/llms.txt')

/** Get all documentation as one file. */
export const readDocuments = /* @__PURE__ */ address<Record<never, never>>('/llms-full.txt')
