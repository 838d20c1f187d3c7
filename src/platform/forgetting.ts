import { forgetUser } from '../buckets/buckets.ts'
import { forgetParent } from '../families/release.ts'
import type { Forget } from '../forget.ts'
import { forgetAnswers } from '../idempotency/idempotency.ts'

/** What every room does when a person goes. */
export const FORGETTING: readonly Forget[] = [forgetParent, { forgetUser }, { forgetUser: forgetAnswers }]
