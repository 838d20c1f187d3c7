import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { listFiles, readFileUsage, type StoredFile, uploadFile } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { sayBytes } from '../../parts/time.tsx'
import { contentWords as say } from './words.ts'

/** A file that is being uploaded, or could not be. */
export interface Upload {
  readonly id: number
  readonly name: string
  /** Share that has been sent, from 0 to 1. */
  readonly sent: number
  readonly error?: Error
}

/** Uploads files to an organisation, one after the other, and tells how far they are. */
export function useUploads(organisation: string) {
  const client = useQueryClient()
  const usage = useQuery(query(readFileUsage, { organisation }))
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const count = useRef(0)
  const change = (id: number, what: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...what } : one)))
  const dismiss = (id: number) => setUploads((all) => all.filter((one) => one.id !== id))

  /** Explains why a file would be refused, before it is sent: a browser may not read the answer to half an upload. */
  const findRefusal = ({ name, size }: File): string | undefined => {
    if (!usage.data) return undefined
    const { usedBytes, limitBytes, largestFileBytes } = usage.data
    if (size > largestFileBytes) return say.tooLarge(name, sayBytes(largestFileBytes))
    const left = Math.max(0, limitBytes - usedBytes)
    return size > left ? say.noRoom(name, sayBytes(left)) : undefined
  }

  async function uploadOne(file: File): Promise<StoredFile | undefined> {
    const id = ++count.current
    setUploads((all) => [...all, { id, name: file.name, sent: 0 }])
    try {
      const refusal = findRefusal(file)
      if (refusal !== undefined) throw new Error(refusal)
      const onProgress = (sent: number) => change(id, { sent })
      const stored = await uploadFile({ organisation, name: file.name, file }, { onProgress })
      dismiss(id)
      return stored
    } catch (error) {
      change(id, { error: error as Error })
      return undefined
    } finally {
      for (const { operationName } of [listFiles, readFileUsage])
        void client.invalidateQueries({ queryKey: [operationName] })
    }
  }

  async function upload(files: Iterable<File>): Promise<StoredFile[]> {
    const stored: StoredFile[] = []
    for (const file of files) {
      const one = await uploadOne(file)
      if (one) stored.push(one)
    }
    return stored
  }
  return { upload, uploads, dismiss, usage: usage.data }
}
