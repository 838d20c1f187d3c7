export {
  type Alert,
  type Assertion,
  type Badge,
  type Client,
  type ClientOptions,
  createClient,
  type NewAssertion,
  type NewBadge,
  type OtherSkills,
  PlatformError,
  type RecordOfUser,
  type StatusChange,
  type Tokens,
} from './client.ts'
export {
  type AtoStatus,
  type Candidate,
  type CandidateSearch,
  type CapabilitiesSearch,
  type Capability,
  type Distribution,
  type DistributionChange,
  NEXT_STATUSES,
  type StartDocument,
} from './payloads.ts'
export {
  createPlugin,
  type Plugin,
  type PluginOptions,
  type Purpose,
  type RawAnswer,
  type RawRequest,
} from './plugin.ts'
export { rememberIds, type Seen } from './seen.ts'
export {
  type HeaderFields,
  type Signed,
  signWebhook,
  TOLERANCE_SECONDS,
  verifyBasic,
  verifySignature,
} from './verify.ts'
