import { useSuspenseQuery } from '@tanstack/react-query'
import { type Here, readHere } from './operations.ts'
import { query, queryClient } from './query.ts'

const here = () => ({ ...query(readHere, {}), staleTime: 60_000 })

/** Loads the environment and the person who is signed in. Every page needs both before it can be shown. */
export const loadHere = (): Promise<Here> => queryClient.ensureQueryData(here())
export const useHere = (): Here => useSuspenseQuery(here()).data

/** Goes to the sign-in page, which afterwards redirects to `next`. */
export function leaveToSignIn(next: string): Promise<never> {
  location.replace(`/account/signin?${new URLSearchParams({ next })}`)
  return new Promise(() => {})
}
