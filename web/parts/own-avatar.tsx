import { Avatar } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { readAccountCover, readAccountPicture } from '../api/operations.ts'

// A picture keeps its URL when it changes, so browsers would show the old one from the cache. A changing number in the
// query makes them load the new one.
let turn = 0
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Makes the browser reload the person's own picture and cover after a change. */
export function renewPictures(): void {
  turn++
  for (const listener of listeners) listener()
}

/** Returns the URL of the current version of the person's own picture or cover. */
export function useOwnPicture(kind: 'picture' | 'cover', size: number): string {
  const now = useSyncExternalStore(subscribe, () => turn)
  const address = kind === 'picture' ? readAccountPicture({ size }) : readAccountCover({ size })
  return now === 0 ? address : `${address}&turn=${now}`
}

export const OwnAvatar = ({ size }: { readonly size: number }) => (
  <Avatar src={useOwnPicture('picture', size > 32 ? 256 : 64)} size={size} radius="xl" alt="" />
)
