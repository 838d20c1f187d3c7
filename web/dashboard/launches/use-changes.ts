import {
  endPackageSession,
  listPackageSessions,
  readGradebook,
  readGradebookAverages,
  readPackageLesson,
  readResults,
  readTimeline,
  waivePackageLesson,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'

const REPORTED = [readPackageLesson, listPackageSessions]
const CHANGES = [...REPORTED, readResults, readTimeline, readGradebook, readGradebookAverages]

export const useWaive = () => useWrite(waivePackageLesson, { changes: CHANGES })
export const useEndSession = () => useWrite(endPackageSession, { changes: CHANGES })

/** How often staff read again what content reports, while the page is visible. */
export const LIVE_MS = 10_000
