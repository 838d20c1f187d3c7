import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHere } from '../api/here.ts'
import { Loaded } from '../parts/states.tsx'
import { dropPending, endUnlessKeptBy } from './credentials.ts'
import { SiteMenu } from './menu.tsx'
import { reference } from './read.ts'
import classes from './reference.module.css'

/** Shows the menu of the documentation beside the chosen page. The menu stays mounted when another page is chosen. */
export function SiteFrame() {
  const who = useHere().person?.handle ?? null
  useEffect(() => {
    void endUnlessKeptBy(who)
  }, [who])
  useEffect(() => {
    dropPending()
    // After an abandoned sign-in, the Back button may restore this page from the browser's cache without mounting it
    // again, so delete the data of the sign-in then, too.
    const drop = ({ persisted }: PageTransitionEvent) => persisted && dropPending()
    addEventListener('pageshow', drop)
    return () => removeEventListener('pageshow', drop)
  }, [])
  return (
    <div className={classes.page}>
      <SiteMenu />
      <div>
        <Outlet />
      </div>
    </div>
  )
}

/** Shows the pages of the API reference once the description of the API is loaded. */
export const ReferenceFrame = () => (
  <Loaded query={useQuery(reference())} lines={8}>
    {() => <Outlet />}
  </Loaded>
)
