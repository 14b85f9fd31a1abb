//! Samples of the formats of logs.

use verger_audit::log::{LogFormat, LogOptions, LogTotals, Request, first_request, read_log};

/// Name of the format, lines, and what [`shown`] writes for each request.
const SAMPLES: &[(&str, &str, &[&str])] = &[
    (
        "common",
        r#"192.0.2.1 - - [10/Oct/2026:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326"#,
        &["2026-10-10T20:55:36Z 192.0.2.1 -://- GET /a 200 -"],
    ),
    // nginx, with a user; `main` of nginx with its list of addresses; Apache with a virtual host.
    (
        "combined",
        r#"192.0.2.1 - "66.249.66.1 - x" [10/Oct/2026:13:55:36 +0200] "GET /a?b HTTP/1.1" 404 153 "-" "Bot/1.0 (\x22)"
2001:db8::1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/2.0" 200 1 "https://h/" "-" "203.0.113.9, 192.0.2.8"
shop.example:443 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "POST /a HTTP/1.1" 499 0 "-" "x" "a=b"
host.example - - [10/Oct/2026:13:55:36 +0200] "GET http://shop.example/ HTTP/1.1" 200 0 "-" "x""#,
        &[
            r#"2026-10-10T11:55:36Z 192.0.2.1 -://- GET /a?b 404 Bot/1.0 (")"#,
            "2026-10-10T11:55:36Z 2001:db8::1 -://- GET / 200 - x-forwarded-for=203.0.113.9, 192.0.2.8",
            "2026-10-10T11:55:36Z 192.0.2.1 -://shop.example:443 POST /a 499 x",
            "2026-10-10T11:55:36Z - http://shop.example GET http://shop.example/ 200 x",
        ],
    ),
    // Host after the User-Agent header: a client can send an address.
    (
        "combined",
        r#"192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET /a HTTP/1.1" 200 1 "-" "x" "66.249.66.1" "203.0.113.9"
192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET /b HTTP/1.1" 200 1 "-" "x" "203.0.113.9"
192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET /c HTTP/1.1" 200 1 "-" "x" "shop.example"
192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET /d HTTP/1.1" 200 1 "-" "x" "66.249.66.1""#,
        &[
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET /a 200 x",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET /b 200 x x-forwarded-for=203.0.113.9",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET /c 200 x",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET /d 200 x",
        ],
    ),
    // Before the address: syslog, Docker; names of hosts that a client chose; an identity.
    (
        "common",
        r#"<190>Oct 11 22:14:15 web nginx: 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
<134>1 2026-10-10T11:55:36Z cache fastly - - [x@41058 tag="a"] 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
web-1  | 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
192.0.2.1 joe joe [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 192.0.2.1 joe [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
h - 66.249.66.1 - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
192.0.2.1 - 66.249.66.1 - x [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
192.0.2.1 joe 66.249.66.1 - x [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 - 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 - - [10/Oct/2026:13:55:36 +0200] 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 x 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
66.249.66.1 - - [x 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
x y 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
- 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
Oct 11 22:14:15 10.0.0.5 nginx: 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7
2026-10-10T11:55:36Z stdout F 192.0.2.1 - - [10/Oct/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 7"#,
        &[
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            // Either of the two addresses may be the host.
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            // Texts of a client that look like an address, in its user name and in the Host header.
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z - -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T11:55:36Z 192.0.2.1 -://- GET / 200 -",
        ],
    ),
    // Fractions; no zone; a time that is none.
    (
        "common",
        r#"192.0.2.1 - - [10/Oct/2026:13:55:36.999 +0000] "GET / HTTP/1.1" 200 7
192.0.2.1 - - [2026-10-10T13:55:36+00:00] "GET / HTTP/1.1" 200 7
192.0.2.1 - - [1791640536.12] "GET / HTTP/1.1" 200 7
192.0.2.1 - - [yesterday] "GET / HTTP/1.1" 200 7"#,
        &[
            "2026-10-10T13:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T13:55:36Z 192.0.2.1 -://- GET / 200 -",
            "2026-10-10T13:55:36Z 192.0.2.1 -://- GET / 200 -",
            "- 192.0.2.1 -://- GET / 200 -",
        ],
    ),
    (
        "AWS load balancer",
        r#"h2 2026-03-01T22:23:05.186641Z app/shop/cb8 192.0.2.7:48160 10.0.0.66:9 0.006 4.108 1.500 200 200 498 1485 "GET https://shop.example:443/cart HTTP/2.0" "GPTBot/1.2 (x)" ECDHE TLSv1.2 arn:aws:x "Root=1-5833" "shop.example" "-" 0 2026-03-01T22:22:48.364000Z "forward" "-""#,
        &[
            "2026-03-01T22:22:59Z 192.0.2.7 https://shop.example:443 GET https://shop.example:443/cart 200 GPTBot/1.2 (x)",
        ],
    ),
    (
        "AWS load balancer",
        r#"2026-03-01T22:24:00.186641Z elb 192.0.2.7:2817 - -1 -1 -1 503 0 0 0 "GET http://h:80/a\x22 HTTP/1.1" "-" - -"#,
        &["- 192.0.2.7 http://h:80 GET http://h:80/a\" 503 -"],
    ),
    // A fixed response.
    (
        "AWS load balancer",
        r#"h2 2026-03-01T22:23:05.186641Z app/shop/cb8 192.0.2.7:48160 - -1 -1 -1 200 - 498 333 "GET https://shop.example:443/a HTTP/2.0" "x" ECDHE TLSv1.2 - "Root=1-5833" "shop.example" "-" 0 2026-03-01T22:23:04.364000Z "fixed-response" "-""#,
        &[
            "2026-03-01T22:23:04Z 192.0.2.7 https://shop.example:443 GET https://shop.example:443/a 200 x",
        ],
    ),
    (
        "HAProxy",
        r#"Feb  6 12:14:14 lb haproxy[14389]: 10.0.1.2:33317 [06/Feb/2026:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {shop.example|Mozilla/5.0 (x; GPTBot/1.2#7D)|https://h/} {text/html} "GET /a#22 HTTP/1.1"
10.0.1.2:33317 [06/Feb/2026:12:14:14.655] in~ static/<NOSRV> -1/-1/-1/-1/+5 -1 +0 - - CR-- 1/1/1/1/0 0/0 "GET /b HTTP/1.1"
2001:db8::1:33317 [06/Feb/2026:12:14:14.655] in static/s 1/0/3/6/9 301 27 - - ---- 1/1/1/1/0 0/0 {a.example|b.example|x/1|y/2} "GET /c HTTP/1.1" 0/0/0/0/0 -"#,
        &[
            "2026-02-06T12:14:14Z 10.0.1.2 -://shop.example GET /a\" 200 Mozilla/5.0 (x; GPTBot/1.2})",
            "2026-02-06T12:14:14Z 10.0.1.2 -://- GET /b 0 -",
            "2026-02-06T12:14:14Z 2001:db8::1 -://- GET /c 301 -",
        ],
    ),
    (
        "Envoy",
        r#"[2026-04-15T20:17:00.310Z] "POST /api/v1 HTTP/2" 204 - 154 0 226 100 "10.0.35.28" "nsq2http/1.0" "cc21d9b0-cf5c" "shop.example" "tcp://10.0.2.1:80""#,
        &[
            "2026-04-15T20:17:00Z - -://shop.example POST /api/v1 204 nsq2http/1.0 x-forwarded-for=10.0.35.28",
        ],
    ),
    (
        "Istio",
        r#"[2026-04-15T20:17:00.310Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 135 2 1 "-" "curl/8.0" "84961386" "shop.example" "10.44.1.23:80" outbound|8000||h - 10.44.1.27:80 -
[2026-04-15T20:17:00.310Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 135 2 1 "192.0.2.7" "curl/8.0" "84961386" "shop.example" "10.44.1.23:80" outbound|80||h 10.44.1.27:33 10.44.1.27:8443 192.0.2.7:4711 outbound_.80_._.h default
[2026-04-15T20:17:00.310Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 135 2 1 "-" "curl/8.0" "84961386" "shop.example" "10.44.1.23:80" outbound|80||h 10.44.1.27:33 10.44.1.27:8443 [2001:db8::1]:4711 - default
[2026-04-15T20:17:00.310Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 0 135 2 1 "66.249.66.1" "curl/8.0" "84961386" "shop.example" "10.44.1.23:80" outbound|80||h 10.44.1.27:33 10.44.1.27:8443 66.249.66.1:0 - default"#,
        &[
            "2026-04-15T20:17:00Z - -://shop.example GET /a 200 curl/8.0",
            "2026-04-15T20:17:00Z 192.0.2.7 -://shop.example GET /a 200 curl/8.0 x-forwarded-for=192.0.2.7",
            "2026-04-15T20:17:00Z 2001:db8::1 -://shop.example GET /a 200 curl/8.0",
            // Port 0: the address is that of the header field.
            "2026-04-15T20:17:00Z - -://shop.example GET /a 200 curl/8.0 x-forwarded-for=66.249.66.1",
        ],
    ),
    (
        "CloudFront",
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header cs-protocol time-taken x-forwarded-for\n\
         2026-03-01\t22:23:00\tFRA2\t1\t192.0.2.7\tGET\td1.cloudfront.net\t/a%2520b\t200\t-\tMozilla/5.0%20(compatible;%20GPTBot/1.2)\tq=1\tshop.example\thttps\t2.500\t203.0.113.9",
        &[
            "2026-03-01T22:22:57Z 192.0.2.7 https://shop.example GET /a%20b?q=1 200 Mozilla/5.0 (compatible; GPTBot/1.2) x-forwarded-for=203.0.113.9",
        ],
    ),
    (
        "W3C extended",
        "#Software: Microsoft Internet Information Services 10.0\n#Date: 2026-03-01 22:00:00\n\
         #Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status time-taken\n\
         2026-03-01 22:23:00 10.0.0.1 GET /a%20b q=+ 443 - 192.0.2.7 Mozilla/5.0+(compatible;+GPTBot/1.2) - shop.example 200 0 0 1500\n\
         #Fields: time c-ip cs-method cs-uri-stem sc-status sc-win32-status\n22:23:01 192.0.2.7 GET /b 304 0\n\
         #Fields: time c-ip cs-method cs-uri-stem X-Forwarded-For sc-status sc-win32-status\n22:23:02 192.0.2.7 GET /c 203.0.113.9,+192.0.2.8 200 0",
        &[
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET /a%20b?q=+ 200 Mozilla/5.0 (compatible; GPTBot/1.2)",
            // Nobody knows the day.
            "- 192.0.2.7 -://- GET /b 304 -",
            "- 192.0.2.7 -://- GET /c 200 - x-forwarded-for=203.0.113.9, 192.0.2.8",
        ],
    ),
    (
        "W3C extended",
        "#Fields: date time c-ip cs-method cs-uri sc-status cs(User-Agent)\n2026-03-01\t22:23:00\t192.0.2.7\tGET\t/a?b\t200\tBot/1+(x)",
        &["2026-03-01T22:23:00Z 192.0.2.7 -://- GET /a?b 200 Bot/1 (x)"],
    ),
    // Caddy: the names of header fields are those of the client.
    (
        "JSON",
        r#"{"level":"info","ts":1772403780.5,"msg":"handled request","request":{"remote_ip":"192.0.2.7","remote_port":"41342","client_ip":"192.0.2.7","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"/a","headers":{"User-Agent":["GPTBot/1"],"Useragent":["x"],"Uri":["/x"],"Ip":["66.249.66.1"],"X_forwarded_for":["66.249.66.1"],"request_X-Forwarded-For":["66.249.66.1"],"Scheme":["http"],"X-Forwarded-For":["203.0.113.9","192.0.2.8"],"Signature":["s=:AA:"]},"tls":{"proto":"h2"}},"bytes_read":0,"duration":0.001,"size":7,"status":200,"resp_headers":{"Host":["y"],"Status":["404"],"User-Agent":["y"]}}"#,
        &[
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a 200 GPTBot/1 signature=s=:AA: x-forwarded-for=203.0.113.9, 192.0.2.8",
        ],
    ),
    // pino-http, Kong and Filebeat: a client chooses names in its query. Two times, addresses or
    // hosts.
    (
        "JSON",
        r#"{"level":30,"time":1772403780123,"req":{"method":"GET","url":"/shop?ip=66.249.66.1","query":{"ip":"66.249.66.1","x-forwarded-for":"66.249.66.1","request_uri":"/x","at":"2026-01-01T00:00:00Z"},"params":{"host":"y"},"headers":{"host":"shop.example","user-agent":"GPTBot/1","x-forwarded-for":"203.0.113.9"},"remoteAddress":"192.0.2.7"},"res":{"statusCode":200}}
{"started_at":1772403780123,"client_ip":"192.0.2.7","request":{"method":"GET","uri":"/a","querystring":{"at":"1"},"headers":{"host":"shop.example","user-agent":"GPTBot/1"}},"response":{"status":200},"service":{"host":"10.0.0.1"}}
{"@timestamp":"2026-09-25T08:00:00Z","time":"2026-03-01T22:23:00Z","host":{"name":"web1","ip":["198.51.100.7"]},"nginx":{"access":{"remote_ip":"192.0.2.7","method":"GET","url":"/a","response_code":"200","agent":"GPTBot/1"}}}
{"timestamp":"2026-09-25T08:00:00Z","time":"2026-03-01T22:23:00Z","request":"GET /a HTTP/1.1","status":"200"}
{"ip":"198.51.100.7","status":200,"nginx":{"access":{"remote_ip":"192.0.2.7","url":"/a"}}}
{"host":"shop.example","server_name":"blog.example","status":200,"clientIp":"192.0.2.7","remoteAddress":"192.0.2.8","url":"/a"}
{"host":"shop.example","ts":1772403780,"status":200,"request":{"host":"blog.example","uri":"/a"}}"#,
        &[
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /shop?ip=66.249.66.1 200 GPTBot/1 x-forwarded-for=203.0.113.9",
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a 200 GPTBot/1",
            "- 192.0.2.7 -://- GET /a 200 GPTBot/1",
            "- - -://- GET /a 200 -",
            "- - -://-  /a 200 -",
            "- - -://  /a 200 -",
            "2026-03-01T22:23:00Z - -://blog.example  /a 200 -",
        ],
    ),
    // Traefik, with a header field that the client named.
    (
        "JSON",
        r#"{"ClientAddr":"192.0.2.7:4","ClientHost":"192.0.2.7","DownstreamStatus":200,"Duration":55,"RequestAddr":"shop.example","RequestHost":"shop.example","RequestMethod":"GET","RequestPath":"/a?b","RequestScheme":"https","StartUTC":"2026-03-01T22:23:00.123456789Z","request_User-Agent":"GPTBot/1","request_Uri":"/x","request_X-Forwarded-For":"203.0.113.9","time":"2026-03-01T23:23:01+01:00"}"#,
        &[
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET /a?b 200 GPTBot/1 x-forwarded-for=203.0.113.9",
        ],
    ),
    // Envoy, Cloudflare, Google, Fastly, Akamai, CloudFront, Azure, and the batches of `verger identify`.
    (
        "JSON",
        r#"{"start_time":"2026-03-01T22:23:00.123Z","method":"GET","path":"/b","x-envoy-original-path":"/a","response_code":200,"user_agent":"GPTBot/1","authority":"shop.example","downstream_remote_address":"192.0.2.7:5","x_forwarded_for":"203.0.113.9","duration":5}
{"ClientIP":"192.0.2.7","ClientRequestHost":"shop.example","ClientRequestMethod":"GET","ClientRequestScheme":"https","ClientRequestURI":"/a","ClientRequestUserAgent":"GPTBot/1","EdgeEndTimestamp":1772403781696000000,"EdgeStartTimestamp":1772403780696000000,"EdgeResponseStatus":403,"RequestHeaders":{"signature-agent":"x"}}
{"httpRequest":{"requestUrl":"https://shop.example/a","requestMethod":"GET","remoteIp":"192.0.2.7","userAgent":"GPTBot/1","status":200},"timestamp":"2026-03-01T22:23:00Z"}
{"timestamp":"2026-03-01T22:23:00+0000","client_ip":"192.0.2.7","host":"shop.example","url":"/a?b","request_method":"GET","request_protocol":"HTTP/2","request_user_agent":"GPTBot/1","response_status":200}
{"version":1,"reqTimeSec":"1772403780.120","cliIP":"192.0.2.7","statusCode":"200","proto":"https","reqHost":"shop.example","reqMethod":"GET","reqPath":"/a%20b","queryStr":"q=1","reqPort":"443","UA":"Mozilla%2F5.0+%28compatible%3B+GPTBot%2F1.2%29","xForwardedFor":"203.0.113.9"}
{"date":"2026-03-01","time":"22:23:00","x-edge-location":"FRA2","c-ip":"192.0.2.7","cs-method":"GET","cs-uri-stem":"/a","cs-uri-query":"-","sc-status":"200"}
{"time":"2026-03-01T22:23:00.0000000Z","properties":{"httpMethod":"GET","requestUri":"https://shop.example:443/a?b","userAgent":"GPTBot/1","clientIp":"192.0.2.7","socketIp":"192.0.2.7","httpStatusCode":"200"}}
{"time":"2026-03-01T22:23:00.0000000Z","properties":{"httpMethod":"GET","requestUri":"https://shop.example:443/a","clientIp":"66.249.66.1","socketIp":"192.0.2.7","httpStatusCode":"503"}}
{"timeStamp":"2026-03-01T22:23:00+00:00","properties":{"clientIP":"192.0.2.7","httpMethod":"get","originalRequestUriWithArgs":"/a?b","requestUri":"/c","requestQuery":"d","httpStatus":200,"host":"shop.example"}}
{"timestamp":"2026-03-01T22:23:00Z","host":"web-1","client":"192.0.2.7","request":"GET /a HTTP/1.1","status":200}
{"ip":"192.0.2.7","at":1772403780.5,"method":"GET","scheme":"https","authority":"shop.example","target":"/a","headers":{"User-Agent":"GPTBot/1 \xe9","Signature-Input":"-","Signature":"\v"}}"#,
        &[
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a 200 GPTBot/1 x-forwarded-for=203.0.113.9",
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET /a 403 GPTBot/1 signature-agent=x",
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET https://shop.example/a 200 GPTBot/1",
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a?b 200 GPTBot/1",
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET /a%20b?q=1 200 Mozilla/5.0 (compatible; GPTBot/1.2) x-forwarded-for=203.0.113.9",
            // CloudFront writes UTC, and Azure Front Door takes the address of the client from a
            // header field.
            "2026-03-01T22:23:00Z 192.0.2.7 -://- GET /a 200 -",
            "2026-03-01T22:23:00Z 192.0.2.7 https://shop.example:443 GET https://shop.example:443/a?b 200 GPTBot/1",
            "2026-03-01T22:23:00Z - https://shop.example:443 GET https://shop.example:443/a 503 -",
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a?b 200 -",
            // The name of a machine.
            "2026-03-01T22:23:00Z 192.0.2.7 -://- GET /a 200 -",
            r"2026-03-01T22:23:00Z 192.0.2.7 https://shop.example GET /a - GPTBot/1 \xe9 signature=\x0b",
        ],
    ),
    // By convention, and in a line of Docker.
    (
        "JSON",
        r#"{"time_local":"01/Mar/2026:23:23:01 +0100","request_time":"1.250","remote_addr":"192.0.2.7","vhost":"shop.example","host":"web-3","server_port":"443","request":"GET /a\"b HTTP/1.1","status":"200","http_user_agent":"x"}"#,
        &["2026-03-01T22:22:59Z 192.0.2.7 https://shop.example GET /a\"b 200 x"],
    ),
    (
        "JSON",
        r#"{"log":"{\"time\":\"01/Mar/2026:23:23:00 +0100\",\"ip\":\"192.0.2.7\",\"request\":\"GET /c HTTP/1.1\"}\n","stream":"stdout","time":"2027-01-01T00:00:00Z"}"#,
        &["2026-03-01T22:23:00Z 192.0.2.7 -://- GET /c - -"],
    ),
];

/// The parts of a request; `-` for an absent one.
fn shown(request: &Request<'_>) -> String {
    let text = |bytes: &[u8]| match str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| !c.is_control()) => text.to_owned(),
        _ => bytes.escape_ascii().to_string(),
    };
    let optional = |bytes: Option<&[u8]>| bytes.map_or("-".to_owned(), text);
    let mut headers = request.headers.clone();
    // Their order in JSON is unspecified.
    headers.sort();
    let headers = headers.iter().map(|(name, value)| format!(" {name}={}", text(value)));
    format!(
        "{} {} {}://{} {} {} {} {}{}",
        request.at.map_or("-".to_owned(), |at| at.to_string()),
        request.peer.map_or("-".to_owned(), |peer| peer.to_string()),
        request.scheme.unwrap_or("-"),
        optional(request.host.as_deref()),
        text(&request.method),
        text(&request.target),
        request.status.map_or("-".to_owned(), |status| status.to_string()),
        optional(request.user_agent.as_deref()),
        headers.collect::<String>()
    )
}

fn read(log: &[u8], options: &LogOptions) -> (Vec<String>, Result<LogTotals, String>) {
    let mut found = Vec::new();
    let totals = read_log(log, options, |request| {
        assert!(log.windows(request.raw.len()).any(|part| part == request.raw));
        found.push(shown(&request));
    });
    (found, totals)
}

#[test]
fn all_parts_of_a_request_are_read() {
    for (name, lines, expected) in SAMPLES {
        let (found, totals) = read(lines.as_bytes(), &LogOptions::default());
        assert_eq!(found, *expected, "{lines}");
        let totals = totals.expect("a log");
        assert_eq!((totals.format, totals.skipped), (Some(*name), 0), "{lines}");
        assert_eq!(totals.has_local_times, *name == "HAProxy", "{lines}");
    }
}

/// Captured header fields of successive lines, and the User-Agent header and host that are found.
#[test]
fn haproxy_shows_the_column_of_the_user_agent_in_the_lines_before() {
    let many = |captures: &'static str| [("in", captures, "GPTBot/1 shop.example"); 40];
    for lines in [
        &[
            // Nothing shows which is which.
            ("in", "shop.example|search.marginalia.nu", "- -"),
            ("in", "shop.example|Pingdom.com_bot (x) Pingdom/1.4", "- shop.example"),
            ("in", "shop.example|GPTBot/1", "GPTBot/1 shop.example"),
            ("in", "shop.example|search.marginalia.nu", "search.marginalia.nu shop.example"),
            (
                "in",
                "shop.example|Pingdom.com_bot Pingdom/1.4",
                "Pingdom.com_bot Pingdom/1.4 shop.example",
            ),
            ("in", "shop.example|a#7Cb", "a|b shop.example"),
            ("in", "x/1|y/2", "y/2 -"),
            ("in", "shop.example|", "- shop.example"),
            // Another frontend, and another configuration.
            ("other", "search.marginalia.nu|shop.example", "- -"),
            ("other", "GPTBot/1|shop.example", "GPTBot/1 shop.example"),
            ("other", "search.marginalia.nu|shop.example", "search.marginalia.nu shop.example"),
            ("in", "shop.example|https://h/|search.marginalia.nu", "- -"),
            ("in", "shop.example|https://h/|GPTBot/1", "GPTBot/1 shop.example"),
            ("in", "shop.example|https://h/|curl", "curl shop.example"),
        ][..],
        // A client that sends a product as its Referer header: of no other client's column.
        &[
            &[("in", "shop.example||GPTBot/1", "GPTBot/1 shop.example")][..],
            &[("in", "shop.example|GPTBot/1|", "GPTBot/1 shop.example")],
            &[("in", "shop.example|search.marginalia.nu|", "- -")],
            &many("shop.example|GPTBot/1|"),
            &[("in", "shop.example||x/1", "- shop.example")],
            &[("in", "shop.example|curl|x/1", "curl shop.example")],
        ]
        .concat(),
    ] {
        let line = |(frontend, captures, _): &(&str, &str, &str)| {
            format!(
                "10.0.1.2:33317 [06/Feb/2026:12:14:14.655] {frontend} s/s 1/0/3/6/9 200 2 - - ---- 1/1/1/1/0 0/0 {{{captures}}} \"GET / HTTP/1.1\"\n"
            )
        };
        let mut found = Vec::new();
        let totals = read_log(
            lines.iter().map(line).collect::<String>().as_bytes(),
            &LogOptions::default(),
            |it| {
                let text = |part: Option<&[u8]>| {
                    part.map_or("-".into(), |it| it.escape_ascii().to_string())
                };
                found.push(format!(
                    "{} {}",
                    text(it.user_agent.as_deref()),
                    text(it.host.as_deref())
                ));
            },
        );
        assert_eq!(found, lines.iter().map(|it| it.2).collect::<Vec<_>>());
        assert_eq!(totals.map(|totals| totals.skipped), Ok(0));
    }
}

#[test]
fn a_format_of_nginx_is_read() {
    for (format, line, expected) in [
        (
            r#"$host $remote_addr [$time_iso8601] "$request" $status "$http_user_agent" "$http_x_forwarded_for" $request_time"#,
            r#"shop.example 192.0.2.7 [2026-03-01T23:23:01+01:00] "GET /a\x22 HTTP/1.1" 200 "-" "203.0.113.9" 1.500"#,
            "2026-03-01T22:22:59Z 192.0.2.7 -://shop.example GET /a\" 200 - x-forwarded-for=203.0.113.9",
        ),
        (
            r#"{"t":$msec,"a":"$remote_addr","s":"$scheme","u":"$request_uri","b":"$http_user_agent"}"#,
            r#"{"t":1772403780.123,"a":"192.0.2.7","s":"https","u":"/a\"\u001b","b":"x\",\"b\":\"GPTBot/1"}"#,
            r#"2026-03-01T22:23:00Z 192.0.2.7 https://-  /a\"\x1b - x","b":"GPTBot/1"#,
        ),
        // Structured logs of Akamai.
        (
            "$version $cp $reqTimeSec $cliIP $statusCode $reqHost $reqMethod $reqPath $queryStr $UA",
            "2 7 1772403780.1 192.0.2.7 200 shop.example GET /a - GPTBot%2F1%20x",
            "2026-03-01T22:23:00Z 192.0.2.7 -://shop.example GET /a 200 GPTBot/1 x",
        ),
    ] {
        let format = Some(LogFormat::custom(format).expect("a format"));
        let options = LogOptions { format, zone: None };
        let docker =
            serde_json::json!({ "log": format!("{line}\n"), "stream": "stdout" }).to_string();
        for log in [[line, "x"], [&docker, "x"]] {
            let (found, totals) = read(log.join("\n").as_bytes(), &options);
            let totals = totals.expect("a log");
            assert_eq!((totals.format, totals.skipped), (Some("custom"), 1), "{line}");
            assert_eq!(found, [expected], "{line}");
        }
    }
    let format = Some(LogFormat::custom("$request").expect("a format"));
    let error = read(b"\nx", &LogOptions { format, zone: None }).1.expect_err("no log");
    assert_eq!(error, "expected a line in the given format, but found `x` (line 2)");
}

#[test]
fn the_first_time_of_a_log_is_that_of_its_first_request() {
    let line = |day: u8| {
        format!("192.0.2.1 - - [{day:02}/Oct/2026:00:00:00 +0000] \"GET / HTTP/1.1\" 200 7\n")
    };
    let log = ["started\n", "h - - [x] \"GET / HTTP/1.1\" 200 7\n", &line(7), &line(3)].concat();
    let first = |log: &str| {
        first_request(log.as_bytes(), &LogOptions::default()).map(|(time, _)| time.to_string())
    };
    assert_eq!(first(&log).as_deref(), Some("2026-10-07T00:00:00Z"));
    assert_eq!(first("nothing\n"), None);
    assert_eq!(first(""), None);
}

#[test]
fn nothing_is_lost_with_a_long_or_cut_line() {
    let line = SAMPLES[1].1.lines().next().expect("a line");
    let long = line.replace("/a?b", &"/a".repeat(600_000));
    let log = [line, &long, line].join("\n");
    let (found, totals) = read(log.as_bytes(), &LogOptions::default());
    let totals = totals.expect("a log");
    assert_eq!((found.len(), totals.requests, totals.too_long, totals.skipped), (2, 2, 1, 0));
    assert!(!totals.is_truncated);
}

#[test]
fn damaged_lines_are_read_or_skipped() {
    for (_, lines, _) in SAMPLES {
        let lines = lines.as_bytes();
        for at in (0..lines.len()).step_by(lines.len() / 40 + 1) {
            let _ = read(&lines[..at], &LogOptions::default());
            for byte in *b"\"[{\\ \xff" {
                let mut damaged = lines.to_vec();
                damaged[at] = byte;
                let _ = read(&damaged, &LogOptions::default());
            }
        }
    }
}
