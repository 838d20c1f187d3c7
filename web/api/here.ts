import { useSuspenseQuery } from '@tanstack/react-query'
import { type Here, readHere } from './operations.ts'
import { query, queryClient } from './query.ts'

const here = () => ({ ...query(readHere, {}), staleTime: 60_000 })

/** Where this is and who is here, which every page asks first. */
export const loadHere = (): Promise<Here> => queryClient.ensureQueryData(here())
export const useHere = (): Here => useSuspenseQuery(here()).data

/** Leads to the sign-in page, and back to where one was. */
export function leaveToSignIn(next: string): Promise<never> {
  location.replace(`/account/signin?${new URLSearchParams({ next })}`)
  return new Promise(() => {})
}
