import { useQuery } from '@tanstack/react-query'
import { listNotifications, markNotificationsRead } from '../api/operations.ts'
import { queryClient, useWrite } from '../api/query.ts'

const KEY = ['unreadNotifications']
/** Interval of the reads that replace the live stream while it is lost. */
const POLL_MS = 60_000

export const setUnread = (unread: number): unknown => queryClient.setQueryData(KEY, unread)

/** Returns the number of unread notifications. Reads it only while the live stream does not report it. */
export const useUnread = (isLive: boolean): number =>
  useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await listNotifications({ limit: 1 }, { signal })).unread,
    initialData: 0,
    staleTime: 0,
    enabled: !isLive,
    refetchInterval: isLive ? false : POLL_MS,
    refetchOnWindowFocus: false,
  }).data

/** Returns a mutation that marks notifications as read, and then shows the new number at once. */
export const useMarkRead = () =>
  useWrite(markNotificationsRead, { changes: [listNotifications], onDone: ({ unread }) => setUnread(unread) })
