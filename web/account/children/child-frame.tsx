import { Box, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { UsersRound } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { nameOf, PersonAvatar } from '../../parts/person.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Tabs, tab } from '../../parts/tabs.tsx'
import { sayDay } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'
import { useChildQuery } from './use-child.ts'

const { child: say, children: sayAll } = accountWords

/**
 * The frame of a child's pages. If the child has turned 13 or has other parents, it says that there is no such child.
 */
export function ChildFrame() {
  const found = useQuery(useChildQuery())
  return (
    <Loaded query={found}>
      {(child) =>
        child === null ? (
          <>
            <PageHead title={sayAll.title} />
            <Empty
              icon={UsersRound}
              title={say.gone}
              action={<ButtonLink to="/account/children">{sayAll.title}</ButtonLink>}
            >
              {say.goneText}
            </Empty>
          </>
        ) : (
          <>
            <Group gap="md" wrap="nowrap" align="flex-start">
              <PersonAvatar person={child} isKnown size={56} />
              <Box flex={1} miw={0}>
                <PageHead
                  title={nameOf(child)}
                  lead={say.lead(child.handle, sayDay(child.dateOfBirth))}
                  above={
                    <TextLink to="/account/children" size="sm">
                      {sayAll.title}
                    </TextLink>
                  }
                />
              </Box>
            </Group>
            <Tabs label={say.tabs(nameOf(child))}>
              <Link to="/account/children/$handle" params={{ handle: child.handle }} {...tab}>
                {say.settings}
              </Link>
              <Link to="/account/children/$handle/friends" params={{ handle: child.handle }} {...tab}>
                {say.friends}
                {child.friendRequests > 0 && ` (${child.friendRequests})`}
              </Link>
            </Tabs>
            <Outlet />
          </>
        )
      }
    </Loaded>
  )
}
