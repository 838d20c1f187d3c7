import { byName, type Room } from '../../kernel/room.ts'
import { friendRetention } from './blocks.ts'
import { friendTie } from './import.ts'
import { exportFriends, exportRequests } from './lists.ts'
import { friendOperations } from './routes.ts'
import { findByName } from './store.ts'

export const friends: Room = {
  name: 'friends',
  areas: { Friends: 'Friends, requests for friendship, and blocks.' },
  operations: friendOperations,
  personalTables: {
    friendships: {
      inExport:
        '`friends.json`; requests to the person in `friend-requests.json`, including those that they no longer see because they have declined or blocked the asker (`unheardRequestDate`). Includes disabled people, whom lists leave out',
      whenDeleted: 'gone, for both sides',
    },
    declines: { inExport: "`friend-requests.json`, the person's own", whenDeleted: 'gone' },
    blocks: {
      inExport: "`friends.json`, the person's own; of those whom they could not see, the names that they gave",
      whenDeleted: 'gone',
    },
    blocked_names: {
      inExport: '`friends.json`: handles and user ids as they were given, whether or not somebody has them',
      whenDeleted:
        "stays with others who blocked the person without seeing them: the handle or user id that they gave, as it would if nobody had ever had it. The person's own are gone",
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
      about: 'Friend requests to you: open ones, hidden ones, and those that you declined lately',
      read: exportRequests,
    },
  ],
  finders: [{ kind: 'friend', find: byName(findByName) }],
  importTies: { people: [friendTie] },
  retention: () => friendRetention,
}
