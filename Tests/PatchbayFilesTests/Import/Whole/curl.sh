# what a person copied
export TOKEN=abc
curl 'https://h.example/a?x=1#part' -H 'X-Key: 7' -H 'Accept: */*' -H 'Empty:' -H 'sec-fetch: x' -H "Authorization: Bearer $TOKEN" -H 'authorization: raw' -H @file -H nocolon
curl -sSLXPOST h.example/b -d a=1 -d 'b=x+y%21' -o out --max-time 3
curl -sX PUT --url https://h.example/c --json '{"a":[1]}' -A me -e there -b c=1
curl https://h.example/d -H 'Content-Type: application/json' --data-raw '@no {"a"' -u me:pw
curl -G https://h.example/e?z=0 -d q=1 --data-urlencode 'r=a b' --data-urlencode '=c d' --data-urlencode 'e&f'
curl -I https://h.example -: curl more
curl -T file https://h.example/f -- https://h.example/g
curl https://h.example/h -F 'name=value;type=text/plain' -F 'file=@a.png' -F 'other=<b' -F none
curl https://h.example/i -d @body.json
curl https://h.example/j -d @body.json -X DELETE
curl https://h.example/k -d '{"query":"query Get { a }"}'
curl https://h.example/l -d '{"query":"{ a }","operationName":"Op"}'
curl https://h.example/m -d 'plain text' --oauth2-bearer t
curl https://h.example/n -d 'a=<b>' --request=patch
curl https://h.example/o --data '"text"'
curl --tlsv1.2 https://h.example/p -w '%{http_code}' --retry 3 -r 0-9
/opt/bin/curl $'https://h.example/\u0071' ; wget x
curl -d x=1
$ curl https://h.example/r | jq .
