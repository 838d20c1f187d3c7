import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { listPackages, type PackageDetails, readFileUsage } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { notifyProblem } from '../../parts/notify.tsx'
import { sayBytes } from '../../parts/time.tsx'
import { cancelUpload, isBegun, sendPackage } from './send-package.ts'
import { packageWords } from './words.ts'

const { upload: say } = packageWords

/** A package that is being uploaded, or could not be. */
export interface CurrentUpload {
  readonly file: File
  /** Share that has arrived, from 0 to 1. At 1, the platform checks the package. */
  readonly sent: number
  /** Whether the connection was lost, and further attempts follow. */
  readonly isInterrupted?: boolean
  readonly error?: Error
  /** Whether an upload that failed can go on. */
  readonly canContinue?: boolean
}

/** Uploads a package to an organisation, and tells how far it is. */
export function usePackageUpload(organisation: string, onUploaded: (found: PackageDetails) => void) {
  const client = useQueryClient()
  const usage = useQuery(query(readFileUsage, { organisation }))
  const [current, setCurrent] = useState<CurrentUpload>()
  const sending = useRef<AbortController>(undefined)
  // The parts that have arrived stay, and an upload of the same file goes on from there.
  useEffect(() => () => sending.current?.abort(), [])

  const refresh = () => {
    for (const { operationName } of [listPackages, readFileUsage])
      void client.invalidateQueries({ queryKey: [operationName] })
  }

  /** Explains why a package would be refused, before it is sent. */
  const refuseTooLarge = ({ name, size }: File): void => {
    if (!usage.data) return
    const left = Math.max(0, usage.data.limitBytes - usage.data.usedBytes)
    if (size > left) throw new Error(say.noRoom(name, sayBytes(left)))
  }

  async function upload(files: readonly File[]): Promise<void> {
    const [file] = files
    if (!file) return
    const what = { organisation, file }
    sending.current = new AbortController()
    const { signal } = sending.current
    let sent = 0
    const show = (state: Partial<CurrentUpload> = {}) => !signal.aborted && setCurrent({ file, sent, ...state })
    show()
    try {
      if (files.length > 1) throw new Error(say.onlyOne)
      if (!isBegun(what)) refuseTooLarge(file)
      const found = await sendPackage(what, {
        signal,
        onProgress: (share) => {
          sent = share
          show()
        },
        onInterrupted: () => show({ isInterrupted: true }),
      })
      if (signal.aborted) return
      setCurrent(undefined)
      onUploaded(found)
    } catch (error) {
      show({ error: error as Error, canContinue: isBegun(what) })
    } finally {
      refresh()
    }
  }

  async function cancel({ file }: CurrentUpload): Promise<void> {
    sending.current?.abort()
    setCurrent(undefined)
    await cancelUpload({ organisation, file }).catch(({ message }) => notifyProblem(message))
    refresh()
  }
  return { upload, cancel, current, usage: usage.data }
}
