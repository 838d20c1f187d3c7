import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import {
  acceptFriendByHandle,
  blockUserByHandle,
  cancelFriendRequestByHandle,
  declineFriendByHandle,
  readOwnFriends,
  removeFriendByHandle,
  requestFriendByHandle,
  unblockUserByHandle,
} from '../../api/operations.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { listTab } from '../../parts/tabs.tsx'
import { accountWords } from '../words.ts'
import { Circle } from './circle.tsx'

const { friends: say } = accountWords
const route = getRouteApi('/signed-in/account/friends')

const ACTS = {
  request: requestFriendByHandle,
  accept: acceptFriendByHandle,
  decline: declineFriendByHandle,
  cancel: cancelFriendRequestByHandle,
  remove: removeFriendByHandle,
  block: blockUserByHandle,
  unblock: unblockUserByHandle,
}

export function FriendsPage() {
  const { list = 'friends' } = route.useSearch()
  const lists = useQuery(route.useLoaderData().lists)
  const settings = useQuery(route.useLoaderData().settings)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={lists}>
        {(data) => (
          <Circle
            lists={data}
            list={list}
            canAsk={settings.data?.may.decideFriends ?? false}
            acts={ACTS}
            changes={[readOwnFriends]}
            linkTo={(name, label) => (
              <Link key={name} to="/account/friends" search={name === 'friends' ? {} : { list: name }} {...listTab}>
                {label}
              </Link>
            )}
          />
        )}
      </Loaded>
    </>
  )
}
