import { byName, type Room } from '../../kernel/room.ts'
import { friendRetention } from './blocks.ts'
import { friendTie } from './import.ts'
import { exportFriends, exportRequests } from './lists.ts'
import { friendOperations } from './routes.ts'
import { findByName } from './store.ts'

export const friends: Room = {
  name: 'friends',
  areas: { Friends: 'Friends, friend requests and blocks.' },
  operations: friendOperations,
  personalTables: {
    friendships: {
      inExport:
        '`friends.json`; requests to the user in `friend-requests.json`, including those that they no longer see because they have declined or blocked the sender (`unheardRequestDate`). Includes disabled users, whom lists leave out',
      whenDeleted: 'deleted, for both sides',
    },
    declines: { inExport: "`friend-requests.json`, the user's own", whenDeleted: 'gone' },
    blocks: {
      inExport: "`friends.json`, the user's own; of those whom they could not see, the names that they typed",
      whenDeleted: 'gone',
    },
    blocked_names: {
      inExport: '`friends.json`: handles and user ids as they were typed, whether or not they exist',
      whenDeleted:
        "stays with others who blocked the user without seeing them: the handle or user id that they typed, as if it had never existed. The user's own are deleted",
    },
  },
  exports: [
    {
      file: 'friends.json',
      about: 'Your friends, the requests that you have sent, and the people whom you have blocked',
      read: exportFriends,
    },
    {
      file: 'friend-requests.json',
      about: 'Friend requests to you: open ones, hidden ones, and those that you recently declined',
      read: exportRequests,
    },
  ],
  finders: [{ kind: 'friend', find: byName(findByName) }],
  importTies: { people: [friendTie] },
  retention: () => friendRetention,
}
