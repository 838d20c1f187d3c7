import { Anchor, Burger, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useHere } from '../../api/here.ts'
import { UnsavedGuard } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { appWords } from '../words.ts'
import { AREAS, areaOf } from './areas.ts'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { followNavigation } from './focus.ts'
import classes from './frame.module.css'
import { Mark } from './mark.tsx'
import { AreaNavigation } from './navigation.tsx'
import { PersonMenu } from './person-menu.tsx'
import { SearchButton } from './search-button.tsx'

/** Loaded after the page, because it is on every page and no page needs it at once. */
const BellButton = lazy(async () => ({ default: (await import('./bell.tsx')).BellButton }))

/** The library react-remove-scroll keeps fixed elements of this class in place when it hides the scroll bar. */
const BESIDE_SCROLL_BAR = 'right-scroll-bar-position'
/** The page on which a developer who is signed in as a test person signs in as themselves again. */
const COME_BACK = '/account/signin?again=true&next=/console/sandbox'

/** The frame of every page: the header, a band that marks the sandbox, and the navigation of the area. */
export function Frame() {
  const here = useHere()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [isOpen, { toggle, close }] = useDisclosure()
  const isSandbox = here.environment === 'sandbox'
  const own = AREAS.filter(({ id }) => here.person?.areas.some((area) => area === id))
  const isDocumentation = path === '/docs' || path.startsWith('/docs/')
  const area = here.person ? areaOf(path) : undefined
  const pages = area?.pages.filter(({ isForParents }) => !isForParents || here.person?.may.lookAfterChildren) ?? []
  // A sidebar with one entry would lead nowhere new. Where the header has no room for the areas, the drawer lists
  // them.
  const hasNavigation = pages.length > 1
  const breakpoint = hasNavigation ? 'sm' : 'md'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the drawer
  useEffect(close, [path])
  const router = useRouter()
  useEffect(() => followNavigation(router), [router])

  return (
    <div className={classes.frame} data-sandbox={isSandbox || undefined} data-sidebar={hasNavigation || undefined}>
      <UnsavedGuard />
      <header className={`${classes.header} ${BESIDE_SCROLL_BAR}`}>
        <a href="#content" className={classes.skip}>
          {appWords.navigation.skip}
        </a>
        <div className={classes.bar}>
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom={breakpoint}
              size="sm"
              color="white"
              aria-label={isOpen ? appWords.navigation.close : appWords.navigation.open}
              aria-expanded={isOpen}
            />
            <Link to="/" className={classes.brand} aria-label={appWords.navigation.home}>
              <Mark />
              <Text component="span" className={classes.name}>
                {words.product}
              </Text>
            </Link>
            {own.length > 0 && (
              <nav aria-label={appWords.navigation.main} className={classes.areas}>
                {own.map(({ id, label, pages }) => (
                  <Link
                    key={id}
                    to={pages[0].to}
                    className={classes.area}
                    {...(area?.id === id && { 'data-active': true, 'aria-current': 'true' })}
                  >
                    {label}
                  </Link>
                ))}
              </nav>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            {here.person && <SearchButton />}
            {here.person && (
              <Suspense fallback={<span className={classes.bell} />}>
                <BellButton />
              </Suspense>
            )}
            <EnvironmentSwitch here={here} />
            <PersonMenu here={here} />
          </Group>
        </div>
        {isSandbox && (
          <div className={classes.band}>
            <span className={classes.bandText}>
              {appWords.environment.sandbox}
              <span className={classes.bandWhy}>
                {here.person?.isTest ? appWords.environment.asTest(here.person.name) : appWords.environment.band}
              </span>
              <Anchor href={here.person?.isTest ? COME_BACK : here.production} inherit c="inherit" underline="always">
                {here.person?.isTest ? appWords.environment.comeBack : appWords.environment.leave}
              </Anchor>
            </span>
          </div>
        )}
      </header>
      <div className={classes.navbar} data-open={isOpen || undefined}>
        <AreaNavigation own={own} area={area} pages={pages} />
      </div>
      <main className={classes.main}>
        <div
          id="content"
          tabIndex={-1}
          className={area ? classes.content : isDocumentation ? classes.full : classes.wide}
        >
          <Outlet />
        </div>
      </main>
    </div>
  )
}
